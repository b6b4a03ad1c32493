import type { AdmissionDecision } from '@sluice/contracts';
import { DeadlineQueue, type RunningDeadline } from '@sluice/timing';
import { TURNS_TO_ANSWER } from './answer-watch.ts';
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

/** Places at first; doubled when they do not suffice. A power of two, so that it divides the range of ids. */
const FIRST_CAPACITY = 1_024;

interface Waiting<Carrier> extends PendingAdmission<Carrier> {
  readonly id: number;
  readonly deadline: RunningDeadline;
}

/**
 * Admissions that wait for their answer, by their ids.
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
  readonly #deadlines: DeadlineQueue;

  constructor(options: PendingAdmissionsOptions<Carrier>) {
    this.#options = options;
    this.#oldestId = options.firstId ?? 0;
    this.#nextId = this.#oldestId;
    this.#deadlines = new DeadlineQueue({
      limitMs: options.deadlineMs,
      now: options.now,
      turns: TURNS_TO_ANSWER,
    });
  }

  get size(): number {
    return this.#size;
  }

  /** Its id, unique among those that wait. */
  add(carrier: Carrier, since: number, resolve: (decision: AdmissionDecision) => void): number {
    const id = this.#nextId;
    if ((id - this.#oldestId) >>> 0 === this.#ring.length) this.#makeRoom();
    const deadline = this.#deadlines.start(since, () => this.#expire(id));
    this.#ring[this.#placeOf(id)] = { id, carrier, since, resolve, deadline };
    this.#nextId = idAfter(id);
    this.#size += 1;
    return id;
  }

  /** An answer to something that no longer waits is ignored. */
  settle(id: number, decision: AdmissionDecision): void {
    const admission = this.#ring[this.#placeOf(id)];
    if (admission?.id !== id) return;
    this.#ring[this.#placeOf(id)] = undefined;
    this.#size -= 1;
    this.#deadlines.stop(admission.deadline);
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
    this.#deadlines.clear();
  }

  /** Passes the places of those that were answered. */
  #findOldest(): void {
    while (this.#oldestId !== this.#nextId) {
      if (this.#ring[this.#placeOf(this.#oldestId)] !== undefined) return;
      this.#oldestId = idAfter(this.#oldestId);
    }
  }

  #placeOf(id: number): number {
    return id & (this.#ring.length - 1);
  }

  /** Everything since the oldest has a place of its own again. */
  #makeRoom(): void {
    this.#findOldest();
    if ((this.#nextId - this.#oldestId) >>> 0 < this.#ring.length) return;
    const before = this.#ring;
    this.#ring = emptyRing(before.length * 2);
    for (const admission of before) {
      if (admission !== undefined) this.#ring[this.#placeOf(admission.id)] = admission;
    }
  }

  #expire(id: number): void {
    const admission = this.#ring[this.#placeOf(id)];
    if (admission?.id !== id) return;
    this.settle(id, UNAVAILABLE);
    this.#options.onExpired(admission);
  }
}

function emptyRing<Carrier>(capacity: number): (Waiting<Carrier> | undefined)[] {
  return Array.from({ length: capacity }, () => undefined);
}

/** Ids are of 32 bits and begin again. */
function idAfter(id: number): number {
  return (id + 1) >>> 0;
}
