import { TURN_MS } from './quota-order.ts';

/** What arrives in one step. */
export interface Group {
  readonly count: number;
  /** From when on it waits. */
  readonly since: number;
}

/**
 * Arrivals at a rate, those of a turn of the timer together: its step is the driver's own, and nobody waits for
 * it. Where a turn comes later than a step too late, what was due at each of the steps before it has waited.
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
  take(now: number): Group[] {
    const groups: Group[] = [];
    for (let step = this.#lastTurnAt + TURN_MS; step + TURN_MS < now; step += TURN_MS) {
      groups.push({ count: this.#arriveUntil(step), since: step + TURN_MS });
    }
    groups.push({ count: this.#arriveUntil(now), since: now });
    this.#lastTurnAt = now;
    return groups.filter(({ count }) => count > 0);
  }

  #arriveUntil(time: number): number {
    const due = Math.floor(((time - this.#startedAt) / 1_000) * this.#perSecond);
    const count = due - this.#arrived;
    this.#arrived = due;
    return count;
  }
}
