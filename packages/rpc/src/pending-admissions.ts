import type { AdmissionDecision } from '@sluice/contracts';
import { UNAVAILABLE } from './quota-messages.ts';

export interface PendingAdmission<Carrier> {
  /** What it was sent with. */
  readonly carrier: Carrier;
  readonly sentAt: number;
  readonly resolve: (decision: AdmissionDecision) => void;
}

export interface PendingAdmissionsOptions<Carrier> {
  readonly deadlineMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** An admission got no answer in time. It is answered already. */
  readonly onExpired: (admission: PendingAdmission<Carrier>) => void;
}

const LARGEST_ID = 0xff_ff_ff_ff;
/** Rearming for each single admission would be a timer per admission after all. */
const COARSENESS_MS = 5;

/**
 * Admissions that wait for their answer, with one timer for all of them: every deadline is equally long,
 * so the order in which they were sent is the order in which they expire.
 */
export class PendingAdmissions<Carrier> {
  readonly #options: PendingAdmissionsOptions<Carrier>;
  readonly #byId = new Map<number, PendingAdmission<Carrier>>();
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PendingAdmissionsOptions<Carrier>) {
    this.#options = options;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Its id, unique among those that wait. `since` is when the caller began to wait. */
  add(carrier: Carrier, since: number, resolve: (decision: AdmissionDecision) => void): number {
    do {
      this.#lastId = this.#lastId >= LARGEST_ID ? 1 : this.#lastId + 1;
    } while (this.#byId.has(this.#lastId));
    this.#byId.set(this.#lastId, { carrier, sentAt: since, resolve });
    if (this.#timer === undefined) this.#arm(this.#options.deadlineMs);
    return this.#lastId;
  }

  /** An answer to something that no longer waits is ignored. */
  settle(id: number, decision: AdmissionDecision): void {
    const admission = this.#byId.get(id);
    if (admission === undefined) return;
    this.#byId.delete(id);
    admission.resolve(decision);
  }

  /** Answers everything sent with this carrier: it broke. */
  abandon(carrier: Carrier): void {
    for (const [id, admission] of this.#byId) {
      if (admission.carrier === carrier) this.settle(id, UNAVAILABLE);
    }
  }

  abandonAll(): void {
    for (const id of this.#byId.keys()) this.settle(id, UNAVAILABLE);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(delay: number): void {
    // A timer comes before what the sockets have brought: a busy process reads its answers first.
    const expire = () => setImmediate(() => this.#expire());
    this.#timer = setTimeout(expire, Math.max(delay, COARSENESS_MS));
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#options.now();
    for (const [id, admission] of this.#byId) {
      const left = admission.sentAt + this.#options.deadlineMs - now;
      if (left > 0) {
        this.#arm(left);
        return;
      }
      this.settle(id, UNAVAILABLE);
      this.#options.onExpired(admission);
    }
  }
}
