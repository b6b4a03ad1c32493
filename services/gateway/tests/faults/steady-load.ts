import type { CompletionClient, Reply } from './completion-client.ts';

export interface Answered {
  readonly client: CompletionClient;
  readonly reply: Reply;
}

/** Keeps so many completions under way until it is stopped: whoever was answered asks again. */
export class SteadyLoad implements AsyncDisposable {
  /** In the order of their ends. */
  readonly answered: Answered[] = [];
  readonly #ask: (number: number) => CompletionClient;
  readonly #loops: Promise<void>[];
  #asked = 0;
  #stopped = false;

  constructor(count: number, ask: (number: number) => CompletionClient) {
    this.#ask = ask;
    this.#loops = Array.from({ length: count }, async () => this.#loop());
  }

  /** Those that were left with less than their answer. */
  get failed(): readonly Reply[] {
    return this.answered.map(({ reply }) => reply).filter(({ ending }) => ending !== 'whole');
  }

  /** Lets everybody have the answer that they wait for. */
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
