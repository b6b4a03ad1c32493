import { afterTurns } from './after-turns.ts';

export interface DeadlineQueueOptions {
  readonly limitMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Turns of the event loop in which an answer may still be read once its time is over. */
  readonly turns?: number;
}

export interface RunningDeadline {
  readonly place: number;
  /** Deadlines are numbered as they start. */
  readonly number: number;
  readonly endsAt: number;
  readonly onMissed: () => void;
}

/** Rearming for each single deadline would be a timer per deadline after all. */
const COARSENESS_MS = 5;

/**
 * Many deadlines of the same length with one timer.
 *
 * Deadlines have places that they leave empty, and that others take after them. In a Map they would live on until
 * a full collection, with all that waits for them: V8 links each table that a Map outgrows to its successor,
 * and the first of them is old. With 17,000 calls a second that made collections of the young generation take
 * 7 to 23 ms, four times a second.
 */
export class DeadlineQueue {
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #turns: number;
  #places: (RunningDeadline | undefined)[] = [];
  #freePlaces: number[] = [];
  #nextNumber = 0;
  #timer: NodeJS.Timeout | undefined;
  #checksAt = Infinity;

  constructor({ limitMs, now, turns = 1 }: DeadlineQueueOptions) {
    this.#limitMs = limitMs;
    this.#now = now;
    this.#turns = turns;
  }

  /** The time counts from `since`, when the waiting began. */
  start(since: number, onMissed: () => void): RunningDeadline {
    const place = this.#freePlaces.pop() ?? this.#places.length;
    const deadline = { place, number: this.#nextNumber, endsAt: since + this.#limitMs, onMissed };
    this.#nextNumber += 1;
    this.#places[place] = deadline;
    if (deadline.endsAt < this.#checksAt) this.#arm(deadline.endsAt);
    return deadline;
  }

  /** Nothing happens to a deadline that was missed. */
  stop(deadline: RunningDeadline): void {
    const { place } = deadline;
    if (this.#places[place] !== deadline) return;
    this.#places[place] = undefined;
    this.#freePlaces.push(place);
  }

  /** Stops all of them, and the timer. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#places = [];
    this.#freePlaces = [];
    this.#checksAt = Infinity;
  }

  #arm(endsAt: number): void {
    clearTimeout(this.#timer);
    const now = this.#now();
    const delay = Math.max(endsAt - now, COARSENESS_MS);
    this.#checksAt = now + delay;
    this.#timer = setTimeout(() => {
      // What starts from now on has not had its turns at the check: it waits for the next one.
      const before = this.#nextNumber;
      this.#checksAt = -Infinity;
      afterTurns(this.#turns, () => this.#check(before));
    }, delay);
  }

  #check(before: number): void {
    this.#checksAt = Infinity;
    const now = this.#now();
    const missed: RunningDeadline[] = [];
    let next = Infinity;
    for (const deadline of this.#places) {
      if (deadline === undefined) continue;
      if (deadline.endsAt > now || deadline.number >= before) {
        next = Math.min(next, deadline.endsAt);
      } else missed.push(deadline);
    }
    for (const deadline of missed) this.stop(deadline);
    if (next < Infinity) this.#arm(next);
    for (const { onMissed } of missed) onMissed();
  }
}
