export interface LogDeduplicatorOptions {
  /** The same text may be logged again after this time. If it is not set, only `reset` allows that. */
  readonly quietMs?: number;
  /** A monotonic clock in milliseconds. */
  readonly clock?: () => number;
  /**
   * Called with each text that was suppressed, and how often. It is called on disposal, and when the quiet time of the
   * text ends; a new quiet time starts then.
   */
  readonly logRepeats?: (text: string, count: number) => void;
}

interface LoggedText {
  readonly quietUntil: number;
  readonly timer?: NodeJS.Timeout;
  repeats: number;
}

/**
 * Decides which log lines to write about events that repeat, such as failed attempts or refused messages: each text is
 * logged once. All texts are kept in memory, so there must be few different ones.
 */
export class LogDeduplicator implements Disposable {
  readonly #quietMs: number;
  readonly #clock: () => number;
  readonly #logRepeats: LogDeduplicatorOptions['logRepeats'];
  readonly #logged = new Map<string, LoggedText>();

  constructor(options: LogDeduplicatorOptions = {}) {
    this.#quietMs = options.quietMs ?? Infinity;
    this.#clock = options.clock ?? (() => performance.now());
    this.#logRepeats = options.logRepeats;
  }

  /** Whether to log this text now. If true, the text counts as logged. */
  shouldLog(text: string): boolean {
    const logged = this.#logged.get(text);
    if (logged !== undefined && this.#clock() < logged.quietUntil) {
      logged.repeats += 1;
      return false;
    }
    this.#keepQuiet(text);
    return true;
  }

  /** Forgets all texts. Call it when a problem is over. Returns whether a text was logged since the last reset. */
  reset(): boolean {
    const hasLogged = this.#logged.size > 0;
    for (const { timer } of this.#logged.values()) clearTimeout(timer);
    this.#logged.clear();
    return hasLogged;
  }

  [Symbol.dispose](): void {
    for (const [text, { repeats }] of this.#logged) {
      if (repeats > 0) this.#logRepeats?.(text, repeats);
    }
    this.reset();
  }

  #keepQuiet(text: string): void {
    if (this.#logRepeats === undefined || this.#quietMs === Infinity) {
      this.#logged.set(text, { quietUntil: this.#clock() + this.#quietMs, repeats: 0 });
      return;
    }
    // The timer ends the quiet time even if the text does not come again.
    const timer = setTimeout(() => this.#endQuietTime(text), this.#quietMs).unref();
    this.#logged.set(text, { quietUntil: Infinity, timer, repeats: 0 });
  }

  #endQuietTime(text: string): void {
    const repeats = this.#logged.get(text)?.repeats ?? 0;
    this.#logged.delete(text);
    if (repeats === 0) return;
    this.#logRepeats?.(text, repeats);
    this.#keepQuiet(text);
  }
}
