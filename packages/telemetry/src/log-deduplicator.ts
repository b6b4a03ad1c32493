export interface LogDeduplicatorOptions {
  /** The same text may be logged again after this time; without it, only after `reset`. */
  readonly quietMs?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/**
 * Decides which lines to log of events that repeat, such as a failed attempt or a refused message: each text once. It
 * remembers every text that it was asked about, so there have to be few.
 */
export class LogDeduplicator {
  readonly #quietMs: number;
  readonly #now: () => number;
  readonly #quietUntil = new Map<string, number>();

  constructor({ quietMs = Infinity, now = () => performance.now() }: LogDeduplicatorOptions = {}) {
    this.#quietMs = quietMs;
    this.#now = now;
  }

  /** Whether to log this text now. If so, it counts as logged. */
  shouldLog(text: string): boolean {
    const now = this.#now();
    if (now < (this.#quietUntil.get(text) ?? -Infinity)) return false;
    this.#quietUntil.set(text, now + this.#quietMs);
    return true;
  }

  /** The trouble is over: every text is logged when it comes again. Returns whether any was logged. */
  reset(): boolean {
    const hasLogged = this.#quietUntil.size > 0;
    this.#quietUntil.clear();
    return hasLogged;
  }
}
