import type { Pause } from './pause-log.ts';

/** The parameter of a thread that is to notice it. */
export const NOTICE_SLOWNESS = '--notice-slowness';

/** At half load, a machine at less than half of its speed has too much to do, whoever works on it. */
const SLOW_FACTOR = 2;

/**
 * Judges how fast a processor is by how long the same small calculation takes each time, measured against the
 * shortest that it ever took. A single slow one may have been interrupted; two in a row were slow.
 */
export class Slowness {
  #shortestMs = Number.POSITIVE_INFINITY;
  /** When it was last known to be at its speed, or to be slow and said so. */
  #since = 0;
  #slowInARow = 0;

  /** Takes when a calculation began and ended. Gives the time that was slow for sure and was not given yet. */
  notice({ from, to }: Pause): Pause | undefined {
    this.#shortestMs = Math.min(this.#shortestMs, to - from);
    if (to - from < this.#shortestMs * SLOW_FACTOR) {
      this.#slowInARow = 0;
      this.#since = to;
      return undefined;
    }
    this.#slowInARow += 1;
    if (this.#slowInARow === 1) return undefined;
    const slow = { from: this.#since, to };
    this.#since = to;
    return slow;
  }
}
