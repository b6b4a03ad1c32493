import { isBefore, type Revision } from '@sluice/contracts';
import { dropOldest } from '@sluice/service';
import type { CatalogChanges } from './catalog-changes.ts';

export interface CatalogAnswer<Answer> {
  /** Undefined if the catalog has no entry. */
  readonly answer: Answer | undefined;
  /** The revision of the catalog that the answer was read from. */
  readonly revision: Revision;
}

/**
 * Asks the catalog. `last` is the cached answer, even if it is outdated, so that the catalog need not send the parts that
 * are the same.
 */
type Ask<Answer> = (atLeast: Revision, last: Answer | undefined) => Promise<CatalogAnswer<Answer>>;

export interface AnswerCacheOptions<Answer> {
  readonly changes: CatalogChanges;
  /** The organization whose changes outdate the answer. */
  readonly organizationOf: (key: string, answer: Answer) => string;
  /** Whether changes of models outdate the answer too. */
  readonly dependsOnModels: boolean;
  readonly freshMs: number;
  /**
   * While the catalog is unreachable, a cached positive answer is used up to this age, unless a known change outdates
   * it.
   */
  readonly staleMs: number;
  readonly maximumEntries: number;
  readonly maximumPending: number;
  readonly clock: () => number;
}

interface Entry<Answer> extends CatalogAnswer<Answer> {
  readonly askedAt: number;
  /** While the catalog is unreachable, the entry is looked up again in the background, not before this time. */
  retryAt: number;
}

const RETRY_WHILE_UNREACHABLE_MS = 1_000;

/** Too many look-ups are pending. */
export class TooManyLookupsError extends Error {
  override readonly name = 'TooManyLookupsError';
}

/**
 * Caches answers of the catalog for seconds. Positive and negative answers are counted separately, so that a flood of
 * unknown keys cannot displace known ones.
 */
export class AnswerCache<Answer> {
  readonly #options: AnswerCacheOptions<Answer>;
  readonly #known = new Map<string, Entry<Answer>>();
  readonly #unknown = new Map<string, Entry<Answer>>();
  readonly #pending = new Map<string, { atLeast: Revision; lookup: Promise<Entry<Answer>> }>();

  constructor(options: AnswerCacheOptions<Answer>) {
    this.#options = options;
  }

  /** Rejects with the error of `ask`, unless an older answer can be used. */
  async get(key: string, ask: Ask<Answer>): Promise<Answer | undefined> {
    const entry = this.#known.get(key) ?? this.#unknown.get(key);
    const now = this.#options.clock();
    if (entry !== undefined && this.#isFresh(key, entry, now)) return entry.answer;
    const usable = entry !== undefined && this.#isUsable(key, entry, now) ? entry : undefined;
    if (usable !== undefined && this.#options.changes.isUnreachable) {
      this.#refreshInBackground(usable, key, ask);
      return usable.answer;
    }
    try {
      return (await this.#lookUp(key, ask)).answer;
    } catch (error) {
      if (usable === undefined) throw error;
      return usable.answer;
    }
  }

  /** Asks the unreachable catalog again, at most once a second for each entry. No request waits for the answer. */
  #refreshInBackground(entry: Entry<Answer>, key: string, ask: Ask<Answer>): void {
    const now = this.#options.clock();
    if (now < entry.retryAt) return;
    entry.retryAt = now + RETRY_WHILE_UNREACHABLE_MS;
    this.#lookUp(key, ask).catch(() => undefined);
  }

  #isFresh(key: string, entry: Entry<Answer>, now: number): boolean {
    const { changes, freshMs } = this.#options;
    if (now - entry.askedAt >= freshMs || entry.askedAt < changes.staleBefore) return false;
    return !this.#isInvalidated(key, entry);
  }

  /** An answer that a known change outdates is never used: the key may have been revoked. */
  #isUsable(key: string, entry: Entry<Answer>, now: number): boolean {
    if (entry.answer === undefined || now - entry.askedAt >= this.#options.staleMs) return false;
    return !this.#isInvalidated(key, entry);
  }

  #isInvalidated(key: string, { answer, revision }: Entry<Answer>): boolean {
    const { changes, organizationOf, dependsOnModels } = this.#options;
    // A key that was unknown may have been created since, in any organization.
    const organization = answer === undefined ? undefined : organizationOf(key, answer);
    return changes.hasChangedSince(revision, organization, { dependsOnModels });
  }

  #lookUp(key: string, ask: Ask<Answer>): Promise<Entry<Answer>> {
    const atLeast = this.#options.changes.newestChange;
    const pending = this.#pending.get(key);
    // A pending look-up is shared unless a newer change was announced since it began. `newestChange` is the same object
    // until then.
    if (pending?.atLeast === atLeast) return pending.lookup;
    // Known entries are exempt from the limit: clients cannot invent them, and their number is bounded.
    if (!this.#known.has(key) && this.#pending.size >= this.#options.maximumPending) {
      return Promise.reject(new TooManyLookupsError('too many look-ups at once'));
    }
    const lookup = this.#ask(key, atLeast, ask).finally(() => {
      if (this.#pending.get(key)?.lookup === lookup) this.#pending.delete(key);
    });
    this.#pending.set(key, { atLeast, lookup });
    return lookup;
  }

  async #ask(key: string, atLeast: Revision, ask: Ask<Answer>): Promise<Entry<Answer>> {
    const { clock, changes } = this.#options;
    const askedAt = clock();
    const last = this.#known.get(key)?.answer;
    const { answer, revision: reached } = await ask(atLeast, last).catch((error: unknown) => {
      changes.noteFailure(clock());
      throw error;
    });
    changes.noteAnswer();
    // If the store was restored from an older backup, the answer has an older revision than the one that was asked for,
    // and is the best that there is. It is cached with the requested revision, so that known changes do not outdate it.
    const revision = isBefore(reached, atLeast) ? atLeast : reached;
    const entry: Entry<Answer> = { answer, revision, askedAt, retryAt: 0 };
    const [cache, other] =
      answer === undefined ? [this.#unknown, this.#known] : [this.#known, this.#unknown];
    other.delete(key);
    // Inserted again at the end, so that entries in use are evicted last.
    cache.delete(key);
    cache.set(key, entry);
    dropOldest(cache, this.#options.maximumEntries);
    return entry;
  }
}
