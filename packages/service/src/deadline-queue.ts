import { afterTurns } from './timers.ts';

export interface DeadlineQueueOptions {
  readonly limitMs: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
  /**
   * After its end, a deadline can still be stopped for this many turns of the event loop, by an answer that arrived in
   * time but is read late.
   */
  readonly turns?: number;
}

export interface RunningDeadline {
  /** Its index in the array of running deadlines. */
  readonly place: number;
  /** Increases with each start. */
  readonly number: number;
  readonly endsAt: number;
  readonly onMissed: () => void;
}

/** The timer waits at least this long, so that deadlines which end shortly after each other share one timer. */
const MIN_TIMER_MS = 5;

/**
 * Many deadlines of the same length with one timer.
 *
 * Deadlines are in an array, and the place of an ended deadline is used again. A Map would keep ended deadlines alive
 * until the next full garbage collection. When a Map grows, V8 allocates a new table and links the old one to it
 * (https://github.com/v8/v8/blob/main/src/objects/ordered-hash-table.h). The first table soon belongs to the old
 * generation and keeps all later ones alive. With a Map and 17,000 calls a second, V8 collected the young generation
 * four times a second, and each collection took 7 to 23 ms.
 */
export class DeadlineQueue {
  readonly #limitMs: number;
  readonly #clock: () => number;
  readonly #turns: number;
  #places: (RunningDeadline | undefined)[] = [];
  #freePlaces: number[] = [];
  #nextNumber = 0;
  #timer: NodeJS.Timeout | undefined;
  #checksAt = Infinity;

  constructor({ limitMs, clock, turns = 1 }: DeadlineQueueOptions) {
    this.#limitMs = limitMs;
    this.#clock = clock;
    this.#turns = turns;
  }

  /** The deadline ends `limitMs` after `since`. */
  start(since: number, onMissed: () => void): RunningDeadline {
    const place = this.#freePlaces.pop() ?? this.#places.length;
    const deadline = { place, number: this.#nextNumber, endsAt: since + this.#limitMs, onMissed };
    this.#nextNumber += 1;
    this.#places[place] = deadline;
    if (deadline.endsAt < this.#checksAt) this.#arm(deadline.endsAt);
    return deadline;
  }

  /** Stops a deadline, unless it was already missed or stopped. */
  stop(deadline: RunningDeadline): void {
    const { place } = deadline;
    if (this.#places[place] !== deadline) return;
    this.#places[place] = undefined;
    this.#freePlaces.push(place);
  }

  /** Stops all deadlines and the timer. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#places = [];
    this.#freePlaces = [];
    this.#checksAt = Infinity;
  }

  #arm(endsAt: number): void {
    clearTimeout(this.#timer);
    const now = this.#clock();
    const delay = Math.max(endsAt - now, MIN_TIMER_MS);
    this.#checksAt = now + delay;
    this.#timer = setTimeout(() => {
      // A deadline that starts while the check is pending has not yet waited for all its turns when the check runs.
      // It waits for the next check.
      const firstLaterNumber = this.#nextNumber;
      this.#checksAt = -Infinity;
      afterTurns(this.#turns, () => this.#check(firstLaterNumber));
    }, delay);
  }

  #check(firstLaterNumber: number): void {
    this.#checksAt = Infinity;
    const now = this.#clock();
    const missed: RunningDeadline[] = [];
    let next = Infinity;
    for (const deadline of this.#places) {
      if (deadline === undefined) continue;
      if (deadline.endsAt > now || deadline.number >= firstLaterNumber) {
        next = Math.min(next, deadline.endsAt);
      } else missed.push(deadline);
    }
    for (const deadline of missed) this.stop(deadline);
    if (next < Infinity) this.#arm(next);
    for (const { onMissed } of missed) onMissed();
  }
}
