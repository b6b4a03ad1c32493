import type { SchemaPreparation } from './schema-thread-messages.ts';

/** Some 200 bytes each. */
const MAXIMUM_KNOWN = 4_096;
/** The next attempt may be cheaper: a check's cost depends on the reply. */
const TOO_COSTLY_FOR_MS = 60_000;

interface Known {
  readonly preparation: SchemaPreparation;
  readonly at: number;
}

/**
 * What became of schemas, by digest: bounded for all organizations together, the least recently used is forgotten
 * first. A schema whose check was too costly for one organization's reply is refused to that organization alone: the
 * same schema may serve another one well.
 */
export class KnownSchemas {
  readonly #byKey = new Map<string, Known>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  notePreparation(digest: string, preparation: SchemaPreparation): void {
    this.#note(digest, preparation);
  }

  noteCostlyCheck(organization: string, digest: string): void {
    this.#note(keyOfCheck(organization, digest), 'too_costly');
  }

  /** Undefined when it has to be found out. */
  find(organization: string, digest: string): SchemaPreparation | undefined {
    return this.#find(keyOfCheck(organization, digest)) ?? this.#find(digest);
  }

  #note(key: string, preparation: SchemaPreparation): void {
    this.#byKey.delete(key);
    this.#byKey.set(key, { preparation, at: this.#now() });
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > MAXIMUM_KNOWN && oldest !== undefined) this.#byKey.delete(oldest);
  }

  #find(key: string): SchemaPreparation | undefined {
    const known = this.#byKey.get(key);
    if (known === undefined) return undefined;
    this.#byKey.delete(key);
    if (known.preparation === 'too_costly' && this.#now() - known.at >= TOO_COSTLY_FOR_MS) {
      return undefined;
    }
    this.#byKey.set(key, known);
    return known.preparation;
  }
}

function keyOfCheck(organization: string, digest: string): string {
  return `${digest} ${organization}`;
}
