import { TurnBatcher } from '@sluice/timing';

export interface Flushable {
  flush(): void;
  /** Its flush threw: it cannot go on. */
  flushFailed(error: unknown): void;
}

/** Flushes at the end of a turn of the event loop what was scheduled in it. */
export class TurnFlusher {
  readonly #batcher = new TurnBatcher<Flushable>(flushAll);

  /** Call it at most once before each flush. */
  schedule(item: Flushable): void {
    this.#batcher.add(item);
  }
}

function flushAll(items: readonly Flushable[]): void {
  for (const item of items) {
    // The others of the turn have no part in it.
    try {
      item.flush();
    } catch (error) {
      item.flushFailed(error);
    }
  }
}
