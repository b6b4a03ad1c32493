import type { SchemaPreparation } from './schema-thread.ts';

/** Each entry takes about 200 bytes. */
const MAX_KNOWN = 4_096;
/** A schema that was too costly is tried again after this time, because the cost of a check depends on the reply. */
const TOO_COSTLY_FOR_MS = 60_000;

interface Known {
  readonly preparation: SchemaPreparation;
  readonly at: number;
}

/**
 * The results of preparing and checking schemas, by digest: an LRU cache for all organizations. If the check of a reply
 * was too costly, the schema is refused to that organization only: with the replies of other organizations it may work.
 */
export class KnownSchemas {
  readonly #byKey = new Map<string, Known>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  notePreparation(digest: string, preparation: SchemaPreparation): void {
    this.#note(digest, preparation);
  }

  noteCostlyCheck(organization: string, digest: string): void {
    this.#note(keyOfCheck(organization, digest), 'too_costly');
  }

  /** Undefined if the schema was not tried yet, or must be tried again. */
  find(organization: string, digest: string): SchemaPreparation | undefined {
    return this.#find(keyOfCheck(organization, digest)) ?? this.#find(digest);
  }

  #note(key: string, preparation: SchemaPreparation): void {
    this.#byKey.delete(key);
    this.#byKey.set(key, { preparation, at: this.#clock() });
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > MAX_KNOWN && oldest !== undefined) this.#byKey.delete(oldest);
  }

  #find(key: string): SchemaPreparation | undefined {
    const known = this.#byKey.get(key);
    if (known === undefined) return undefined;
    this.#byKey.delete(key);
    if (known.preparation === 'too_costly' && this.#clock() - known.at >= TOO_COSTLY_FOR_MS) {
      return undefined;
    }
    this.#byKey.set(key, known);
    return known.preparation;
  }
}

function keyOfCheck(organization: string, digest: string): string {
  return `${digest} ${organization}`;
}
