import type { EventStream } from './event-stream.ts';

const CHECK_INTERVAL_MS = 1_000;

/** Looks after the open streams with one timer for all of them. */
export class StreamKeeper implements Disposable {
  readonly #streams = new Set<EventStream>();
  readonly #timer: NodeJS.Timeout;

  constructor(clock: () => number) {
    this.#timer = setInterval(() => {
      const now = clock();
      for (const stream of this.#streams) stream.checkTime(now);
    }, CHECK_INTERVAL_MS).unref();
  }

  get size(): number {
    return this.#streams.size;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
