import { BusNoRespondersError } from './bus-errors.ts';
import type { Bus } from './bus.ts';

const ANSWER_MS = 1_000;

/**
 * Whether anybody hears what is said on a subject. The server knows at once who has lost its connection; of one that
 * listens and does not answer, as a frozen process, nothing is known, and that is a yes.
 */
export async function isHeard(
  bus: Pick<Bus, 'request'>,
  subject: string,
  question: Uint8Array,
): Promise<boolean> {
  try {
    await bus.request(subject, question, { timeoutMs: ANSWER_MS });
  } catch (error) {
    return !(error instanceof BusNoRespondersError);
  }
  return true;
}
