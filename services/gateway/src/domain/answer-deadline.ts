import { SILENCE_LIMIT_MS } from '@sluice/contracts';
import { Deadline } from '@sluice/timing';
import type { WorkerSearch } from './worker-search.ts';

const ANSWER_MS = 250;
/** Where nobody else could be asked, there is no point in leaving so soon. */
const LAST_ANSWER_MS = 2_000;
/** A large body takes its time to arrive before it can be answered for. */
const TRANSFER_BYTES_PER_MS = 16_384;
/** From here on a body may itself be why its worker does not answer. */
const LARGE_BODY_BYTES = 262_144;

/**
 * Whether a worker that does not answer may be busy with this body. Offered to the next one after a quarter of a
 * second, such a body would hold up worker after worker. It is given to another only when its worker has been silent
 * for so long that any attempt there would fail, and once.
 */
export function mayBeWhySilent(bodyBytes: number): boolean {
  return bodyBytes > LARGE_BODY_BYTES;
}

export interface AnswerDeadlineOptions {
  readonly worker: string;
  readonly bodyBytes: number;
  readonly search: Pick<WorkerSearch, 'passOver'>;
  readonly onMissed: () => void;
}

/** How long a worker may take to accept or to refuse a job: less where another worker could be asked instead. */
export class AnswerDeadline {
  #deadline: Deadline;

  constructor({ worker, bodyBytes, search, onMissed }: AnswerDeadlineOptions) {
    const isLarge = mayBeWhySilent(bodyBytes);
    const answerMs = isLarge ? SILENCE_LIMIT_MS : ANSWER_MS;
    this.#deadline = new Deadline(answerMs + bodyBytes / TRANSFER_BYTES_PER_MS, () => {
      if (isLarge || search.passOver(worker)) onMissed();
      else this.#deadline = new Deadline(LAST_ANSWER_MS, onMissed);
    });
  }

  stop(): void {
    this.#deadline.stop();
  }
}
