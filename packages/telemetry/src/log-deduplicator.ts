export interface SaidOnceOptions {
  /** Said again when it still goes on after so long; without it, only once it was over. */
  readonly quietMs?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/**
 * For log lines about what comes again and again, at every attempt or with every message: tells which of them say
 * something new. It remembers every text that it was asked about, so that those have to be few.
 */
export class SaidOnce {
  readonly #quietMs: number;
  readonly #now: () => number;
  readonly #quietUntil = new Map<string, number>();

  constructor({ quietMs = Infinity, now = () => performance.now() }: SaidOnceOptions = {}) {
    this.#quietMs = quietMs;
    this.#now = now;
  }

  /** Whether this is to be said now, which it then counts as. */
  isNews(text: string): boolean {
    const now = this.#now();
    if (now < (this.#quietUntil.get(text) ?? -Infinity)) return false;
    this.#quietUntil.set(text, now + this.#quietMs);
    return true;
  }

  /** What was said is over, and is news when it comes again. Whether anything had been said. */
  over(): boolean {
    const wasSaid = this.#quietUntil.size > 0;
    this.#quietUntil.clear();
    return wasSaid;
  }
}
