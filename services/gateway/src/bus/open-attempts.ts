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

  get size(): number {
    return this.#places.size;
  }

  get(name: string): Attempt | undefined {
    return this.#places.get(name)?.attempt;
  }

  add(attempt: Attempt): void {
    this.#places.set(attempt.name, { attempt });
  }

  delete(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    place.attempt = undefined;
    this.#places.delete(name);
  }

  *[Symbol.iterator](): Generator<Attempt> {
    for (const { attempt } of this.#places.values()) {
      if (attempt !== undefined) yield attempt;
    }
  }
}
