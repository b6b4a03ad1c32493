import { createHash } from 'node:crypto';
import type { JsonObject } from '../json/json.ts';

const MOST_REMEMBERED = 64;
/** It may have been the machine that was slow. */
const REMEMBERED_MS = 60_000;
/** Whoever writes schemas can write one that is new every time: with so many, all of theirs are given up. */
const MOST_OF_ONE = 3;

interface GivenUp {
  readonly organization: string;
  readonly at: number;
}

/**
 * Schemas that were not compiled, or against which an answer was not checked, in time, for a while. Each try costs the
 * thread, and everybody who waits for a check the time until there is another.
 */
export class GivenUpSchemas {
  readonly #byDigest = new Map<string, GivenUp>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(organization: string, schema: JsonObject): void {
    this.#byDigest.set(digestOf(schema), { organization, at: this.#now() });
    const [oldest] = this.#byDigest.keys();
    if (this.#byDigest.size > MOST_REMEMBERED && oldest !== undefined) {
      this.#byDigest.delete(oldest);
    }
  }

  has(organization: string, schema: JsonObject): boolean {
    this.#forgetOld();
    if (this.#byDigest.size === 0) return false;
    return this.#countOf(organization) >= MOST_OF_ONE || this.#byDigest.has(digestOf(schema));
  }

  #forgetOld(): void {
    for (const [digest, { at }] of this.#byDigest) {
      if (this.#now() - at < REMEMBERED_MS) return;
      this.#byDigest.delete(digest);
    }
  }

  #countOf(organization: string): number {
    let count = 0;
    for (const givenUp of this.#byDigest.values()) {
      if (givenUp.organization === organization) count += 1;
    }
    return count;
  }
}

function digestOf(schema: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(schema)).digest('base64');
}
