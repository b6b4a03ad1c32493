export interface Flushable {
  flush(): void;
  /** Its flush threw: it cannot go on. */
  flushFailed(error: unknown): void;
}

/** Collects during a turn of the event loop, flushes once at its end. No timers: an idle path waits for nothing. */
export class TurnFlusher {
  #waiting: Flushable[] = [];

  /** Call it at most once before each flush. */
  schedule(item: Flushable): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#flushAll());
    this.#waiting.push(item);
  }

  #flushAll(): void {
    const items = this.#waiting;
    this.#waiting = [];
    for (const item of items) {
      // The others of the turn have no part in it.
      try {
        item.flush();
      } catch (error) {
        item.flushFailed(error);
      }
    }
  }
}
