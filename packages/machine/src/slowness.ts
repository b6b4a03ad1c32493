import type { Pause } from './pause-log.ts';

/** The parameter of a thread that is to notice it. */
export const NOTICE_SLOWNESS = '--notice-slowness';

/** Below a third of its speed a machine is not the one that is measured. */
const SLOW_FACTOR = 3;

/**
 * Judges how fast a processor is by how long the same small calculation takes each time, measured against the
 * shortest that it ever took. A single slow one may have been interrupted; two in a row were slow.
 */
export class Slowness {
  #shortestMs = Number.POSITIVE_INFINITY;
  #slowSince: number | undefined;

  /** Takes when a calculation began and ended. Gives the time that was slow for sure and was not given yet. */
  notice({ from, to }: Pause): Pause | undefined {
    this.#shortestMs = Math.min(this.#shortestMs, to - from);
    if (to - from < this.#shortestMs * SLOW_FACTOR) {
      this.#slowSince = undefined;
      return undefined;
    }
    const slowSince = this.#slowSince;
    this.#slowSince = slowSince === undefined ? from : to;
    return slowSince === undefined ? undefined : { from: slowSince, to };
  }
}
