import type { LedgerMessage } from '@sluice/bus';

/** Successive messages of one stream, which are written in one transaction. */
export class LedgerBatch {
  readonly #records: string[] = [];
  #last: LedgerMessage;
  #missed = 0;

  constructor(first: LedgerMessage) {
    this.#last = first;
    this.add(first);
  }

  add(message: LedgerMessage): void {
    this.#last = message;
    this.#missed += message.missed;
    for (const record of message.records) this.#records.push(record);
  }

  get records(): readonly string[] {
    return this.#records;
  }

  get position(): LedgerMessage['position'] {
    return this.#last.position;
  }

  /** How many messages the stream removed before they were read. */
  get missed(): number {
    return this.#missed;
  }
}

/** Collects messages for `collectMs` after the first, or until there are `limit` records. */
export async function* collectBatches(
  messages: AsyncIterable<LedgerMessage>,
  { collectMs, limit }: { collectMs: number; limit: number },
): AsyncGenerator<LedgerBatch, void, void> {
  const collector = new Collector(messages, limit);
  for (;;) {
    const batch = await collector.next(collectMs);
    if (batch === undefined) return;
    yield batch;
  }
}

/**
 * Adds messages to a batch while the one before is being written. Waiting for each message together with the end of the
 * time would cost as much as checking its record, so only the whole batch is waited for.
 */
class Collector {
  readonly #limit: number;
  #batch: LedgerBatch | undefined;
  #startedAt = 0;
  #end: 'none' | 'done' | { readonly failure: unknown } = 'none';
  // Each is replaced with each batch: a promise that lasts would keep everything that ever waited for it.
  #started = Promise.withResolvers<void>();
  #full = Promise.withResolvers<void>();
  #taken = Promise.withResolvers<void>();

  constructor(messages: AsyncIterable<LedgerMessage>, limit: number) {
    this.#limit = limit;
    void this.#collect(messages);
  }

  /** Undefined after the last message. */
  async next(collectMs: number): Promise<LedgerBatch | undefined> {
    if (this.#end === 'none') await this.#started.promise;
    if (this.#end === 'none') await this.#fullOrIn(this.#startedAt + collectMs - performance.now());
    if (typeof this.#end === 'object') throw this.#end.failure;
    const batch = this.#batch;
    this.#batch = undefined;
    this.#started = Promise.withResolvers();
    this.#full = Promise.withResolvers();
    this.#taken.resolve();
    this.#taken = Promise.withResolvers();
    return batch;
  }

  async #fullOrIn(timeMs: number): Promise<void> {
    const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, timeMs));
    await Promise.race([this.#full.promise, timeIsUp]);
    clearTimeout(timer);
  }

  async #collect(messages: AsyncIterable<LedgerMessage>): Promise<void> {
    try {
      for await (const message of messages) {
        if (this.#batch === undefined) {
          this.#batch = new LedgerBatch(message);
          this.#startedAt = performance.now();
          this.#started.resolve();
        } else {
          this.#batch.add(message);
        }
        if (this.#batch.records.length >= this.#limit) {
          const { promise: taken } = this.#taken;
          this.#full.resolve();
          await taken;
        }
      }
      this.#end = 'done';
    } catch (failure) {
      this.#end = { failure };
    }
    this.#started.resolve();
    this.#full.resolve();
  }
}
