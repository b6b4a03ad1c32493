import { ByteBudget } from '../request/byte-budget.ts';
import type { CompletionJob } from './job.ts';

const MEBIBYTE = 1_024 * 1_024;
const MAX_RETAINED_BYTES = 256 * MEBIBYTE;
const MAX_RETAINED_BYTES_PER_ORGANIZATION = 64 * MEBIBYTE;
/** Bodies up to this size are not counted. Even one of them for each slot of the fleet takes little memory. */
const FREE_BYTES = 64 * 1_024;
const RELEASED = new Uint8Array(0);

/** The memory for bodies that are kept for a retry. */
export function retainedBodyBudget(): ByteBudget {
  return new ByteBudget({
    maxBytes: MAX_RETAINED_BYTES,
    maxBytesPerOrganization: MAX_RETAINED_BYTES_PER_ORGANIZATION,
  });
}

/**
 * The body of a job, kept as long as the job may be sent again. A job can run for minutes, and as many jobs run as the
 * fleet has slots. Therefore the memory of their bodies is limited. A body that does not fit is kept only until a
 * worker accepts the job.
 */
export class RetainedBody implements Disposable {
  readonly #job: CompletionJob;
  readonly #room: ByteBudget;
  readonly #hasRoom: boolean;
  #heldBytes = 0;

  constructor(job: CompletionJob, room: ByteBudget) {
    this.#job = job;
    this.#room = room;
    const { length } = job.body;
    if (length <= FREE_BYTES) this.#hasRoom = true;
    else {
      this.#hasRoom = room.reserve(job.principal.organization, length);
      if (this.#hasRoom) this.#heldBytes = length;
    }
  }

  get length(): number {
    return this.#job.body.length;
  }

  get isReleased(): boolean {
    return this.#job.body === RELEASED;
  }

  /** A worker accepted the job. */
  accepted(): void {
    if (!this.#hasRoom) this.drop();
  }

  /** The job will not be sent again. */
  drop(): void {
    if (this.isReleased) return;
    this.#job.body = RELEASED;
    this.#room.release(this.#job.principal.organization, this.#heldBytes);
  }

  [Symbol.dispose](): void {
    this.drop();
  }
}
