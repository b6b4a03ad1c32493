import type { AdmissionDecision } from '@sluice/contracts';
import { afterReadingAnswers } from './after-turns.ts';
import { UNAVAILABLE } from './wire/decision-messages.ts';

export interface PendingAdmission<Carrier> {
  /** What it was sent with. */
  readonly carrier: Carrier;
  /** When the caller began to wait. */
  readonly since: number;
  readonly resolve: (decision: AdmissionDecision) => void;
}

export interface PendingAdmissionsOptions<Carrier> {
  readonly deadlineMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** An admission got no answer in time. It is answered already. */
  readonly onExpired: (admission: PendingAdmission<Carrier>) => void;
  /** Zero, unless a test is about the end of their range. */
  readonly firstId?: number;
}

/** Rearming for each single admission would be a timer per admission after all. */
const COARSENESS_MS = 5;
/** Places at first; doubled when they do not suffice. A power of two, so that it divides the range of ids. */
const FIRST_CAPACITY = 1_024;

interface Waiting<Carrier> extends PendingAdmission<Carrier> {
  readonly id: number;
}

/**
 * Admissions that wait for their answer, with one timer for all of them: every deadline is equally long,
 * so the order in which they were sent is the order in which they expire.
 *
 * A ring and not a Map: V8 links each table that a Map outgrows to its successor. Once the first is old,
 * whatever waited at a change of tables lives on until the next full collection, and collections of the
 * young generation took 10 ms instead of 0.4 at 20,000 admissions a second.
 */
export class PendingAdmissions<Carrier> {
  readonly #options: PendingAdmissionsOptions<Carrier>;
  /** An admission is at its id modulo the capacity. */
  #ring = emptyRing<Carrier>(FIRST_CAPACITY);
  /** Nothing that waits has an id before this one. */
  #oldestId: number;
  #nextId: number;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PendingAdmissionsOptions<Carrier>) {
    this.#options = options;
    this.#oldestId = options.firstId ?? 0;
    this.#nextId = this.#oldestId;
  }

  get size(): number {
    return this.#size;
  }

  /** Its id, unique among those that wait. */
  add(carrier: Carrier, since: number, resolve: (decision: AdmissionDecision) => void): number {
    const id = this.#nextId;
    if ((id - this.#oldestId) >>> 0 === this.#ring.length) this.#makeRoom();
    this.#ring[this.#placeOf(id)] = { id, carrier, since, resolve };
    this.#nextId = idAfter(id);
    this.#size += 1;
    if (this.#timer === undefined) this.#arm(this.#options.deadlineMs);
    return id;
  }

  /** An answer to something that no longer waits is ignored. */
  settle(id: number, decision: AdmissionDecision): void {
    const admission = this.#ring[this.#placeOf(id)];
    if (admission?.id !== id) return;
    this.#ring[this.#placeOf(id)] = undefined;
    this.#size -= 1;
    admission.resolve(decision);
  }

  /** Answers everything sent with this carrier: it broke. */
  abandon(carrier: Carrier): void {
    for (const admission of this.#ring) {
      if (admission?.carrier === carrier) this.settle(admission.id, UNAVAILABLE);
    }
  }

  abandonAll(): void {
    for (const admission of this.#ring) {
      if (admission !== undefined) this.settle(admission.id, UNAVAILABLE);
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The one that has waited longest, if any waits. */
  #oldest(): Waiting<Carrier> | undefined {
    while (this.#oldestId !== this.#nextId) {
      const admission = this.#ring[this.#placeOf(this.#oldestId)];
      if (admission !== undefined) return admission;
      this.#oldestId = idAfter(this.#oldestId);
    }
    return undefined;
  }

  #placeOf(id: number): number {
    return id & (this.#ring.length - 1);
  }

  /** Everything since the oldest has a place of its own again. */
  #makeRoom(): void {
    this.#oldest();
    if ((this.#nextId - this.#oldestId) >>> 0 < this.#ring.length) return;
    const before = this.#ring;
    this.#ring = emptyRing(before.length * 2);
    for (const admission of before) {
      if (admission !== undefined) this.#ring[this.#placeOf(admission.id)] = admission;
    }
  }

  #arm(delay: number): void {
    const expire = () => {
      const before = this.#nextId;
      afterReadingAnswers(() => this.#expire(before));
    };
    this.#timer = setTimeout(expire, Math.max(delay, COARSENESS_MS));
  }

  /** Those that were there before that id; the others have not had their turns yet. */
  #expire(before: number): void {
    this.#timer = undefined;
    const now = this.#options.now();
    for (let admission = this.#oldest(); admission !== undefined; admission = this.#oldest()) {
      const left = admission.since + this.#options.deadlineMs - now;
      const isLater = ((admission.id - before) | 0) >= 0;
      if (left > 0 || isLater) {
        this.#arm(left);
        return;
      }
      this.settle(admission.id, UNAVAILABLE);
      this.#options.onExpired(admission);
    }
  }
}

function emptyRing<Carrier>(capacity: number): (Waiting<Carrier> | undefined)[] {
  return Array.from({ length: capacity }, () => undefined);
}

/** Ids are of 32 bits and begin again. */
function idAfter(id: number): number {
  return (id + 1) >>> 0;
}
