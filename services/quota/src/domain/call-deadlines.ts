/** Rearming for each single call would be a timer per call after all. */
const COARSENESS_MS = 5;

interface Running {
  readonly endsAt: number;
  readonly onMissed: () => void;
}

/**
 * Deadlines of many calls with one timer: all are equally long, so the order in which the calls
 * started is the order in which they miss them.
 */
export class CallDeadlines {
  readonly #deadlineMs: number;
  readonly #now: () => number;
  readonly #running = new Map<number, Running>();
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deadlineMs: number, now: () => number) {
    this.#deadlineMs = deadlineMs;
    this.#now = now;
  }

  start(onMissed: () => void): number {
    this.#lastId += 1;
    this.#running.set(this.#lastId, { endsAt: this.#now() + this.#deadlineMs, onMissed });
    if (this.#timer === undefined) this.#arm(this.#deadlineMs);
    return this.#lastId;
  }

  stop(id: number): void {
    this.#running.delete(id);
  }

  #arm(delay: number): void {
    // A timer comes before what the sockets have brought: a busy process reads its answers first.
    const check = () => setImmediate(() => this.#check());
    this.#timer = setTimeout(check, Math.max(delay, COARSENESS_MS));
  }

  #check(): void {
    this.#timer = undefined;
    const now = this.#now();
    const missed: Running[] = [];
    for (const [id, running] of this.#running) {
      const left = running.endsAt - now;
      if (left > 0) {
        this.#arm(left);
        break;
      }
      this.#running.delete(id);
      missed.push(running);
    }
    for (const { onMissed } of missed) onMissed();
  }
}
