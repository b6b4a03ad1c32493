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
  messages: AsyncGenerator<LedgerMessage, void, void>,
  { collectMs, limit }: { collectMs: number; limit: number },
): AsyncGenerator<LedgerBatch, void, void> {
  let next = awaitedLater(messages.next());
  for (;;) {
    const first = await next;
    if (first.done === true) return;
    const batch = new LedgerBatch(first.value);
    next = awaitedLater(messages.next());
    const { promise: timeIsUp, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, collectMs, undefined);
    let ended = false;
    while (batch.records.length < limit) {
      const result = await Promise.race([next, timeIsUp]);
      if (result === undefined) break;
      if (result.done === true) {
        ended = true;
        break;
      }
      batch.add(result.value);
      next = awaitedLater(messages.next());
    }
    clearTimeout(timer);
    yield batch;
    if (ended) return;
  }
}

/** Keeps a rejection from being reported as unhandled: the promise is awaited only later. */
function awaitedLater<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}
