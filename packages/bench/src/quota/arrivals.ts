import { TURN_MS } from './quota-options.ts';

/** Requests that arrive in one timer step. */
export interface Group {
  readonly count: number;
  /** The time from which their waiting counts. */
  readonly since: number;
}

/**
 * Arrivals at a fixed rate, taken in groups at each turn of a timer. The length of a step comes from the driver, so it
 * does not count as waiting. If a turn is more than one step late, the waiting time of the requests of a missed step
 * counts from the end of that step.
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

  /** Call it at every turn of the timer. */
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
