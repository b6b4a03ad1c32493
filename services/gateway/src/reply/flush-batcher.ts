import { TurnBatcher } from '@sluice/service';

export interface Flushable {
  flush(): void;
  /** Called if `flush` threw. */
  flushFailed(error: unknown): void;
}

/** Flushes, at the end of a turn of the event loop, the items that were scheduled in it. */
export class FlushBatcher {
  readonly #batcher = new TurnBatcher<Flushable>(flushAll);

  /** Do not call it again for an item before the item was flushed. */
  schedule(item: Flushable): void {
    this.#batcher.add(item);
  }
}

function flushAll(items: readonly Flushable[]): void {
  for (const item of items) {
    // An error in one item must not stop the other items of the turn.
    try {
      item.flush();
    } catch (error) {
      item.flushFailed(error);
    }
  }
}
