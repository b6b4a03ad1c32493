const REMEMBERED_MS = 60_000;
/** If there are more cancels than this, the oldest are dropped. */
const MAX_REMEMBERED = 100_000;

/** Remembers cancels, because a cancel may arrive before its job. */
export class RecentCancels {
  /** When each cancelled attempt may be forgotten. */
  readonly #until = new Map<string, number>();

  get size(): number {
    return this.#until.size;
  }

  remember(attempt: string, now: number): void {
    // Deleted and inserted again, so that the map stays in the order of expiry.
    this.#until.delete(attempt);
    this.#until.set(attempt, now + REMEMBERED_MS);
    if (this.#until.size <= MAX_REMEMBERED) return;
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
