export interface Flushable {
  flush(): void;
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
    for (const item of items) item.flush();
  }
}
