export interface BreakerOptions {
  /** How it begins: open, unless told otherwise. */
  readonly state?: BreakerState;
  /** Failures in a row that open it. */
  readonly failuresToOpen: number;
  readonly probeIntervalMs: number;
  /** Resolves when the store answered. */
  readonly probe: () => Promise<void>;
  readonly onChange: (state: BreakerState) => void;
}

/** Closed: calls go through. Open: the store does not answer, and nobody need wait to learn it. */
export type BreakerState = 'closed' | 'open';

/** Stops asking a store that does not answer, and finds out by itself when it does again. */
export class Breaker implements Disposable {
  readonly #options: BreakerOptions;
  #state: BreakerState;
  #failures = 0;
  #probing = false;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#state = options.state ?? 'open';
    if (this.#state === 'open') this.#askAgainAndAgain();
  }

  get state(): BreakerState {
    return this.#state;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    if (this.#isOver) return;
    this.#failures += 1;
    if (this.#failures >= this.#options.failuresToOpen && this.#state === 'closed') {
      this.#state = 'open';
      this.#askAgainAndAgain();
      this.#options.onChange('open');
    }
  }

  /** Asks the store now, if it is given up. Also for whoever learns that it may be back. */
  probe(): void {
    if (this.#state === 'closed' || this.#probing) return;
    this.#probing = true;
    void this.#ask();
  }

  #askAgainAndAgain(): void {
    this.#timer = setInterval(() => this.probe(), this.#options.probeIntervalMs);
  }

  async #ask(): Promise<void> {
    try {
      await this.#options.probe();
      if (!this.#isOver) this.#close();
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
    this.#isOver = true;
    clearInterval(this.#timer);
  }
}
