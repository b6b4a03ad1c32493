import type { Pause } from './pause-log.ts';

/** The parameter of a thread that is to notice it. */
export const NOTICE_SLOWNESS = '--notice-slowness';

/** At half load, a machine at less than half of its speed has too much to do, whoever works on it. */
const SLOW_FACTOR = 2;

/** When a calculation began and when it ended. */
export interface Calculation {
  readonly from: number;
  readonly to: number;
}

/**
 * Judges how fast a processor is by how long the same small calculation takes each time, measured against the
 * shortest that it ever took. One that had to wait for another program says nothing of that, neither that it is
 * slow nor that it is not. Two that were slow in a row make a slow time.
 */
export class Slowness {
  readonly #wasInterrupted: () => boolean;
  #shortestMs = Number.POSITIVE_INFINITY;
  /** When it was last known to be at its speed, or to be slow and said so. */
  #since = 0;
  #slowInARow = 0;

  /** Asked after a slow calculation only: whether there was an interruption since it was last asked. */
  constructor(wasInterrupted: () => boolean) {
    this.#wasInterrupted = wasInterrupted;
  }

  /** Gives the time that was slow for sure and was not given yet. */
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
