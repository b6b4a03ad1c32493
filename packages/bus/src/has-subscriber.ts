import { BusNoRespondersError } from './bus-errors.ts';
import type { Bus } from './bus.ts';

const ANSWER_MS = 1_000;

/**
 * Whether a subject has a subscriber. The server knows at once if a subscriber has disconnected. If a subscriber does
 * not answer, for example because its process is frozen, the result is true.
 */
export async function hasSubscriber(
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
