import { TURN_MS } from './quota-order.ts';

/** What arrives in one turn. */
export interface Group {
  readonly count: number;
  /** From when on it waits. */
  readonly since: number;
}

/**
 * Arrivals at a rate, those of a turn of the timer together: its step is the driver's own, and nobody waits for
 * it. A turn that comes later than a step too late is waiting.
 */
export class Arrivals {
  readonly #perSecond: number;
  readonly #startedAt: number;
  #lastTurnAt: number;
  #arrived = 0;

  constructor(perSecond: number, startedAt: number) {
    this.#perSecond = perSecond;
    this.#startedAt = startedAt;
    this.#lastTurnAt = startedAt;
  }

  /** To be called at every turn. */
  take(now: number): Group {
    const due = Math.floor(((now - this.#startedAt) / 1_000) * this.#perSecond);
    const group = {
      count: due - this.#arrived,
      since: Math.min(now, this.#lastTurnAt + 2 * TURN_MS),
    };
    this.#arrived = due;
    this.#lastTurnAt = now;
    return group;
  }
}
