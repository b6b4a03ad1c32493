import { Deadline } from '@sluice/timing';

/** Rearming for each single call would be a timer per call after all. */
const COARSENESS_MS = 5;

/** A call that runs. */
export interface RunningCall {
  readonly place: number;
  readonly endsAt: number;
  readonly onMissed: () => void;
}

/**
 * Deadlines of many calls with one timer.
 *
 * Calls have places that they leave empty, and that others take after them. In a Map they would live on until
 * a full collection, with all that waits for them: V8 links each table that a Map outgrows to its successor,
 * and the first of them is old. With 17,000 calls a second that made collections of the young generation take
 * 7 to 23 ms, four times a second.
 */
export class CallDeadlines {
  readonly #deadlineMs: number;
  readonly #now: () => number;
  readonly #places: (RunningCall | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  #nextCheck: Deadline | undefined;
  #checksAt = Infinity;

  constructor(deadlineMs: number, now: () => number) {
    this.#deadlineMs = deadlineMs;
    this.#now = now;
  }

  /** The deadline counts from `since`, when somebody began to wait for the call. */
  start(since: number, onMissed: () => void): RunningCall {
    const place = this.#freePlaces.pop() ?? this.#places.length;
    const call = { place, endsAt: since + this.#deadlineMs, onMissed };
    this.#places[place] = call;
    if (call.endsAt < this.#checksAt) this.#arm(call.endsAt);
    return call;
  }

  /** Nothing happens to a call that has missed its deadline. */
  stop(call: RunningCall): void {
    const { place } = call;
    if (this.#places[place] !== call) return;
    this.#places[place] = undefined;
    this.#freePlaces.push(place);
  }

  #arm(endsAt: number): void {
    this.#nextCheck?.stop();
    const delay = Math.max(endsAt - this.#now(), COARSENESS_MS);
    this.#checksAt = this.#now() + delay;
    this.#nextCheck = new Deadline(delay, () => this.#check());
  }

  #check(): void {
    this.#checksAt = Infinity;
    const now = this.#now();
    const missed: RunningCall[] = [];
    let next = Infinity;
    for (const call of this.#places) {
      if (call === undefined) continue;
      if (call.endsAt > now) next = Math.min(next, call.endsAt);
      else missed.push(call);
    }
    for (const call of missed) this.stop(call);
    if (next < Infinity) this.#arm(next);
    for (const { onMissed } of missed) onMissed();
  }
}
