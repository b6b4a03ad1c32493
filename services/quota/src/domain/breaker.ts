export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failuresToOpen: number;
  readonly probeIntervalMs: number;
  /** Resolves when the store answered. */
  readonly probe: () => Promise<void>;
  readonly onChange: (state: BreakerState) => void;
}

/** Closed: calls go through. Open: the store does not answer, and nobody need wait to learn it. */
export type BreakerState = 'closed' | 'open';

/** Stops asking a store that does not answer, and finds out by itself when it does again. Starts open. */
export class Breaker implements Disposable {
  readonly #options: BreakerOptions;
  #state: BreakerState = 'open';
  #failures = 0;
  #probing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.probe(), options.probeIntervalMs);
  }

  get state(): BreakerState {
    return this.#state;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures >= this.#options.failuresToOpen && this.#state === 'closed') {
      this.#state = 'open';
      this.#timer = setInterval(() => this.probe(), this.#options.probeIntervalMs);
      this.#options.onChange('open');
    }
  }

  /** Asks the store now, if it is given up. Also for whoever learns that it may be back. */
  probe(): void {
    if (this.#state === 'closed' || this.#probing) return;
    this.#probing = true;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    try {
      await this.#options.probe();
      this.#close();
    } catch {
      // Stays open: the next probe comes by itself.
    } finally {
      this.#probing = false;
    }
  }

  #close(): void {
    this.#state = 'closed';
    this.#failures = 0;
    clearInterval(this.#timer);
    this.#options.onChange('closed');
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
