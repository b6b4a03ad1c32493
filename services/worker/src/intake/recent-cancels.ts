const REMEMBERED_MS = 60_000;
/** A flood of cancels must not fill the memory; the oldest go first. */
const MOST_REMEMBERED = 100_000;

/** Cancels that may still overtake the job they are meant for. */
export class RecentCancels {
  readonly #until = new Map<string, number>();

  get size(): number {
    return this.#until.size;
  }

  remember(attempt: string, now: number): void {
    // Set anew, so that the map stays in the order of expiry.
    this.#until.delete(attempt);
    this.#until.set(attempt, now + REMEMBERED_MS);
    if (this.#until.size <= MOST_REMEMBERED) return;
    const [oldest] = this.#until.keys();
    if (oldest !== undefined) this.#until.delete(oldest);
  }

  has(attempt: string, now: number): boolean {
    return (this.#until.get(attempt) ?? 0) > now;
  }

  sweep(now: number): void {
    for (const [attempt, until] of this.#until) {
      if (until > now) return;
      this.#until.delete(attempt);
    }
  }
}
