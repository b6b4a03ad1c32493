import { Deadline } from '@sluice/timing';
import type { Attempt } from './attempt.ts';

const ANSWER_MS = 250;
/** Where nobody else could be asked, there is no point in leaving so soon. */
const LAST_ANSWER_MS = 2_000;
/** A large body takes its time to arrive before it can be answered for. */
const TRANSFER_BYTES_PER_MS = 16_384;

export interface ExpectedAnswer {
  readonly bodyBytes: number;
  /** Called when the worker is late: whether the job goes to somebody else instead. */
  readonly passOver: () => boolean;
}

/** Ends an attempt when its worker says neither yes nor no, unless what this returns is called before. */
export function expectAnswer(
  attempt: Attempt,
  { bodyBytes, passOver }: ExpectedAnswer,
): () => void {
  const leave = () => attempt.end({ kind: 'unanswered' });
  let deadline = new Deadline(ANSWER_MS + bodyBytes / TRANSFER_BYTES_PER_MS, () => {
    if (passOver()) leave();
    else deadline = new Deadline(LAST_ANSWER_MS, leave);
  });
  return () => deadline.stop();
}
