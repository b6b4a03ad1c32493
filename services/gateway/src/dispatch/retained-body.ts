import type { CompletionJob } from './completion-job.ts';
import { HeldBytes } from './held-bytes.ts';

const MEBIBYTE = 1_024 * 1_024;
const MOST_KEPT_BYTES = 256 * MEBIBYTE;
const MOST_KEPT_BYTES_OF_ONE = 64 * MEBIBYTE;
/** A body of up to this size takes none of that: as many of them as there are slots are no burden. */
const FREE_BYTES = 64 * 1_024;
const GONE = new Uint8Array(0);

/** What bodies may take that are kept for a second try. */
export function roomForKeptBodies(): HeldBytes {
  return new HeldBytes({ mostBytes: MOST_KEPT_BYTES, mostBytesOfOne: MOST_KEPT_BYTES_OF_ONE });
}

/**
 * The body of a job, kept while it may have to be sent again. An answer can take minutes, and there can be as many
 * at once as there are slots in the fleet: one for which there is no room is kept only until a worker has it.
 */
export class KeptBody implements Disposable {
  readonly #job: CompletionJob;
  readonly #room: HeldBytes;
  readonly #hasRoom: boolean;
  #heldBytes = 0;

  constructor(job: CompletionJob, room: HeldBytes) {
    this.#job = job;
    this.#room = room;
    const { length } = job.body;
    if (length <= FREE_BYTES) this.#hasRoom = true;
    else {
      this.#hasRoom = room.take(job.principal.organization, length);
      if (this.#hasRoom) this.#heldBytes = length;
    }
  }

  get length(): number {
    return this.#job.body.length;
  }

  get isGone(): boolean {
    return this.#job.body === GONE;
  }

  /** A worker has it. */
  accepted(): void {
    if (!this.#hasRoom) this.drop();
  }

  /** It will not be sent again. */
  drop(): void {
    if (this.isGone) return;
    this.#job.body = GONE;
    this.#room.giveBack(this.#job.principal.organization, this.#heldBytes);
  }

  [Symbol.dispose](): void {
    this.drop();
  }
}
