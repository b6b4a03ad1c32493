import type { CompletionClient, Reply } from './completion-client.ts';

export interface Answered {
  readonly client: CompletionClient;
  readonly reply: Reply;
}

/** Keeps the given number of completions in progress until it is stopped. A client that is answered asks again. */
export class SteadyLoad implements AsyncDisposable {
  /** The replies in the order of their ends. */
  readonly answered: Answered[] = [];
  readonly #ask: (number: number) => CompletionClient;
  readonly #loops: Promise<void>[];
  #asked = 0;
  #stopped = false;

  constructor(count: number, ask: (number: number) => CompletionClient) {
    this.#ask = ask;
    this.#loops = Array.from({ length: count }, async () => this.#loop());
  }

  /** The replies that are not complete. */
  get failed(): readonly Reply[] {
    return this.answered.map(({ reply }) => reply).filter(({ ending }) => ending !== 'whole');
  }

  /** Stops the load after the outstanding answers. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #loop(): Promise<void> {
    while (!this.#stopped) {
      this.#asked += 1;
      const client = this.#ask(this.#asked);
      this.answered.push({ client, reply: await client.ended });
    }
  }
}
