/** A busy worker lets this long pass between two flushes. */
const INTERVAL_MS = 5;
/** So many may come one after the other before that: a quiet worker lets nothing wait. */
const BURST = 16;

/**
 * How soon to flush what may wait. Waking the bus and the gateways costs more than a message does, so what a
 * busy worker has to add goes out some 200 times a second, for all attempts together; a quiet one lets nobody wait.
 */
export class FlushPace {
  #allowance = BURST;
  #countedAt: number;

  constructor(now: number) {
    this.#countedAt = now;
  }

  /** Counts a flush, and says how many milliseconds from now it should be: none, or one interval. */
  delayOfNext(now: number): number {
    const earned = (now - this.#countedAt) / INTERVAL_MS;
    this.#countedAt = now;
    this.#allowance = Math.min(BURST, this.#allowance + earned);
    const isDue = this.#allowance >= 1;
    // A flush that waits may be overtaken, and never is: what it was counted for must not add up while the worker is busy.
    this.#allowance = Math.max(-1, this.#allowance - 1);
    return isDue ? 0 : INTERVAL_MS;
  }
}
