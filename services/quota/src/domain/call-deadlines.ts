/** Rearming for each single call would be a timer per call after all. */
const COARSENESS_MS = 5;

interface Running {
  readonly endsAt: number;
  readonly onMissed: () => void;
}

/** Deadlines of many calls with one timer. */
export class CallDeadlines {
  readonly #deadlineMs: number;
  readonly #now: () => number;
  readonly #running = new Map<number, Running>();
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;
  #checksAt = Infinity;

  constructor(deadlineMs: number, now: () => number) {
    this.#deadlineMs = deadlineMs;
    this.#now = now;
  }

  /** The deadline counts from `since`, when somebody began to wait for the call. */
  start(since: number, onMissed: () => void): number {
    this.#lastId += 1;
    const endsAt = since + this.#deadlineMs;
    this.#running.set(this.#lastId, { endsAt, onMissed });
    if (endsAt < this.#checksAt) this.#arm(endsAt);
    return this.#lastId;
  }

  stop(id: number): void {
    this.#running.delete(id);
  }

  #arm(endsAt: number): void {
    clearTimeout(this.#timer);
    const delay = Math.max(endsAt - this.#now(), COARSENESS_MS);
    this.#checksAt = this.#now() + delay;
    // A timer comes before what the sockets have brought: a busy process reads its answers first.
    this.#timer = setTimeout(() => setImmediate(() => this.#check()), delay);
  }

  #check(): void {
    this.#checksAt = Infinity;
    const now = this.#now();
    const missed: Running[] = [];
    let next = Infinity;
    for (const [id, running] of this.#running) {
      if (running.endsAt > now) {
        next = Math.min(next, running.endsAt);
        continue;
      }
      this.#running.delete(id);
      missed.push(running);
    }
    if (next < Infinity) this.#arm(next);
    for (const { onMissed } of missed) onMissed();
  }
}
