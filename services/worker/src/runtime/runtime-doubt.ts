const ASK_AGAIN_MS = 250;

export interface RuntimeDoubtOptions {
  /** Whether the runtime answers a question that costs it nothing. Never rejects. */
  readonly ask: () => Promise<boolean>;
  readonly isDown: () => boolean;
  /** The question was not answered. */
  readonly onSilence: () => void;
  /** The runtime answers, or is known to be down. */
  readonly onOver: () => void;
}

/**
 * Whether the runtime may have ended: from a broken connection on, until it answers a question that was asked after
 * it, or is known to be down. Not a part of the looks at it, which may wait for slow pages.
 */
export class RuntimeDoubt implements Disposable {
  readonly #options: RuntimeDoubtOptions;
  readonly #stop = new AbortController();
  #breaks = 0;
  #exists = false;

  constructor(options: RuntimeDoubtOptions) {
    this.#options = options;
  }

  get exists(): boolean {
    return this.#exists;
  }

  noteBrokenConnection(): void {
    this.#breaks += 1;
    if (!this.#exists && !this.#stop.signal.aborted) void this.#settle();
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #settle(): Promise<void> {
    this.#exists = true;
    while (!(await this.#isSettled()));
    this.#exists = false;
    if (!this.#stop.signal.aborted) this.#options.onOver();
  }

  async #isSettled(): Promise<boolean> {
    const { ask, isDown, onSilence } = this.#options;
    const breaks = this.#breaks;
    const answers = await ask();
    if (isDown() || this.#stop.signal.aborted) return true;
    if (answers) return breaks === this.#breaks;
    onSilence();
    await this.#pause();
    return isDown() || this.#stop.signal.aborted;
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ASK_AGAIN_MS);
    const stop = () => resolve();
    this.#stop.signal.addEventListener('abort', stop);
    await promise;
    clearTimeout(timer);
    this.#stop.signal.removeEventListener('abort', stop);
  }
}
