export interface BreakerOptions {
  /** The state at the start. The default is open. */
  readonly state?: BreakerState;
  /** How many consecutive failures open the breaker. */
  readonly failuresToOpen: number;
  readonly probeIntervalMs: number;
  /** Resolves if the store answers. */
  readonly probe: () => Promise<void>;
  readonly onChange: (state: BreakerState) => void;
}

/** Closed: calls are sent. Open: the store does not answer, so calls are rejected at once. */
export type BreakerState = 'closed' | 'open';

/** Circuit breaker: stops calls to a store that does not answer, and probes it until it answers again. */
export class Breaker implements Disposable {
  readonly #options: BreakerOptions;
  #state: BreakerState;
  #failures = 0;
  #probing = false;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#state = options.state ?? 'open';
    if (this.#state === 'open') this.#startProbing();
  }

  get state(): BreakerState {
    return this.#state;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    if (this.#isDisposed) return;
    this.#failures += 1;
    if (this.#failures >= this.#options.failuresToOpen && this.#state === 'closed') {
      this.#state = 'open';
      this.#startProbing();
      this.#options.onChange('open');
    }
  }

  /** Probes the store now if the breaker is open, for example after a reconnect. */
  probe(): void {
    if (this.#state === 'closed' || this.#probing) return;
    this.#probing = true;
    void this.#runProbe();
  }

  #startProbing(): void {
    this.#timer = setInterval(() => this.probe(), this.#options.probeIntervalMs);
  }

  async #runProbe(): Promise<void> {
    try {
      await this.#options.probe();
      if (!this.#isDisposed) this.#close();
    } catch {
      // After a failed probe, the breaker stays open until the next one.
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
    this.#isDisposed = true;
    clearInterval(this.#timer);
  }
}
