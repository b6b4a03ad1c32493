import type { Attempt } from '../domain/attempt.ts';

/**
 * The attempts that are open, by their names.
 *
 * V8 links each table that a Map outgrows to its successor. Once the first is old, whatever was in a table
 * when it was left behind lives on until the next full collection: with attempts for values, that was every
 * request in the end. Here it is a place that an attempt has left.
 */
export class OpenAttempts {
  readonly #places = new Map<string, { attempt: Attempt | undefined }>();
  /** How many each worker has that has any. */
  readonly #counts = new Map<string, number>();
  /** Until then none of them can be silent or overdue. */
  #safeUntil = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#places.size;
  }

  /** Those that have any. Counted, not looked for: somebody asks several times a second. */
  workers(): ReadonlySet<string> {
    return new Set(this.#counts.keys());
  }

  get(name: string): Attempt | undefined {
    return this.#places.get(name)?.attempt;
  }

  /** At a moment of the attempt's own clock. */
  add(attempt: Attempt, now: number): void {
    this.#places.set(attempt.name, { attempt });
    this.#count(attempt.worker, 1);
    this.#safeUntil = Math.min(this.#safeUntil, attempt.safeUntil(now));
  }

  delete(name: string): void {
    const place = this.#places.get(name);
    if (place?.attempt === undefined) return;
    this.#count(place.attempt.worker, -1);
    place.attempt = undefined;
    this.#places.delete(name);
  }

  /**
   * To be called every now and then: ends those that have been silent or have taken too long. With thousands of streams
   * a look at each costs as much as some of their events, so that nobody is looked at until one of them can be due.
   */
  checkTimes(now: number): void {
    if (now < this.#safeUntil) return;
    this.#safeUntil = Number.POSITIVE_INFINITY;
    for (const attempt of this) {
      attempt.checkTime(now);
      this.#safeUntil = Math.min(this.#safeUntil, attempt.safeUntil(now));
    }
  }

  *[Symbol.iterator](): Generator<Attempt> {
    for (const { attempt } of this.#places.values()) {
      if (attempt !== undefined) yield attempt;
    }
  }

  #count(worker: string, change: 1 | -1): void {
    const count = (this.#counts.get(worker) ?? 0) + change;
    if (count === 0) this.#counts.delete(worker);
    else this.#counts.set(worker, count);
  }
}
