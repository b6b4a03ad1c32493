import type { Pause } from './pause-log.ts';

/** The parameter that tells a pause thread to detect slowness too. */
export const NOTICE_SLOWNESS = '--notice-slowness';

/** At less than half of its speed, a machine cannot even keep up with half load. */
const SLOW_FACTOR = 2;

/** When a calculation began and ended. */
export interface Calculation {
  readonly from: number;
  readonly to: number;
}

/**
 * Measures the speed of a processor: the same small calculation is repeated, and its time is compared with the shortest
 * time so far. A calculation that was interrupted by another program is ignored. Two slow calculations in a row count
 * as a slow time.
 */
export class Slowness {
  readonly #wasInterrupted: () => boolean;
  #shortestMs = Number.POSITIVE_INFINITY;
  /**
   * The time up to which the speed is known: the end of the last fast calculation, or of the last slow time that was
   * returned.
   */
  #since = 0;
  #slowInARow = 0;

  /**
   * `wasInterrupted` returns whether the thread was interrupted since the previous call. It is called only after a slow
   * calculation.
   */
  constructor(wasInterrupted: () => boolean) {
    this.#wasInterrupted = wasInterrupted;
  }

  /** Returns the slow time that this calculation proves, without the part that was returned before. */
  notice({ from, to }: Calculation): Pause | undefined {
    this.#shortestMs = Math.min(this.#shortestMs, to - from);
    if (to - from < this.#shortestMs * SLOW_FACTOR) {
      this.#slowInARow = 0;
      this.#since = to;
      return undefined;
    }
    if (this.#wasInterrupted()) return undefined;
    this.#slowInARow += 1;
    if (this.#slowInARow === 1) return undefined;
    const slow = { from: this.#since, to };
    this.#since = to;
    return slow;
  }
}
