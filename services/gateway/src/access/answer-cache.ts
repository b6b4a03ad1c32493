import { isBefore, type Revision } from '@sluice/contracts';
import type { CatalogKnowledge } from './catalog-knowledge.ts';
import { dropOldest } from './drop-oldest.ts';

export interface CatalogAnswer<Answer> {
  /** Undefined: the catalog knows of no such thing. */
  readonly answer: Answer | undefined;
  readonly position: Revision;
}

/** Asks the catalog; `last` is what it answered the last time, however old. */
type Ask<Answer> = (atLeast: Revision, last: Answer | undefined) => Promise<CatalogAnswer<Answer>>;

export interface AnswerCacheOptions<Answer> {
  readonly knowledge: CatalogKnowledge;
  /** Whose answer it is: only changes that concern that organization make it old. */
  readonly organizationOf: (key: string, answer: Answer) => string;
  /** Whether changes of models make it old, too. */
  readonly dependsOnModels: boolean;
  readonly freshMs: number;
  /** How long a positive answer of which no change is known serves while the catalog cannot be asked. */
  readonly staleMs: number;
  readonly maximumEntries: number;
  readonly maximumPending: number;
  readonly clock: () => number;
}

interface Entry<Answer> extends CatalogAnswer<Answer> {
  readonly askedAt: number;
  /** While the catalog is away, it is not asked again for this before then. */
  retryAt: number;
}

const RETRY_WHILE_AWAY_MS = 1_000;

/** Too many look-ups are under way for one more. */
export class TooManyLookupsError extends Error {
  override readonly name = 'TooManyLookupsError';
}

/** The catalog's answers, for seconds. Bounded; known and unknown things do not push each other out. */
export class AnswerCache<Answer> {
  readonly #options: AnswerCacheOptions<Answer>;
  readonly #known = new Map<string, Entry<Answer>>();
  readonly #unknown = new Map<string, Entry<Answer>>();
  readonly #pending = new Map<string, { position: Revision; lookup: Promise<Entry<Answer>> }>();

  constructor(options: AnswerCacheOptions<Answer>) {
    this.#options = options;
  }

  /** Rejects with what `ask` rejects with, unless an older answer can still serve. */
  async get(key: string, ask: Ask<Answer>): Promise<Answer | undefined> {
    const entry = this.#known.get(key) ?? this.#unknown.get(key);
    const now = this.#options.clock();
    if (entry !== undefined && this.#isFresh(key, entry, now)) return entry.answer;
    const usable = entry !== undefined && this.#isUsable(key, entry, now) ? entry : undefined;
    if (usable !== undefined && this.#options.knowledge.isAway) {
      this.#askBeside(usable, key, ask);
      return usable.answer;
    }
    try {
      return (await this.#lookUp(key, ask)).answer;
    } catch (error) {
      if (usable === undefined) throw error;
      return usable.answer;
    }
  }

  /** While the catalog is away, no request that can do without it waits for it to fail once more. */
  #askBeside(entry: Entry<Answer>, key: string, ask: Ask<Answer>): void {
    const now = this.#options.clock();
    if (now < entry.retryAt) return;
    entry.retryAt = now + RETRY_WHILE_AWAY_MS;
    this.#lookUp(key, ask).catch(() => undefined);
  }

  #isFresh(key: string, entry: Entry<Answer>, now: number): boolean {
    const { knowledge, freshMs } = this.#options;
    if (now - entry.askedAt >= freshMs || entry.askedAt < knowledge.doubtBefore) return false;
    return !this.#isOvertaken(key, entry);
  }

  /** What is known to have changed never serves again: it may be a key that was revoked. */
  #isUsable(key: string, entry: Entry<Answer>, now: number): boolean {
    if (entry.answer === undefined || now - entry.askedAt >= this.#options.staleMs) return false;
    return !this.#isOvertaken(key, entry);
  }

  #isOvertaken(key: string, { answer, position }: Entry<Answer>): boolean {
    const { knowledge, organizationOf, dependsOnModels } = this.#options;
    // What is unknown may be anybody's by now.
    const organization = answer === undefined ? undefined : organizationOf(key, answer);
    return knowledge.hasChangedSince(position, organization, { dependsOnModels });
  }

  #lookUp(key: string, ask: Ask<Answer>): Promise<Entry<Answer>> {
    const position = this.#options.knowledge.newestChange;
    const pending = this.#pending.get(key);
    if (pending?.position === position) return pending.lookup;
    // A known thing is always looked up: nobody can make one up, and there are only so many of them.
    if (!this.#known.has(key) && this.#pending.size >= this.#options.maximumPending) {
      return Promise.reject(new TooManyLookupsError('too many look-ups at once'));
    }
    const lookup = this.#ask(key, position, ask).finally(() => {
      if (this.#pending.get(key)?.lookup === lookup) this.#pending.delete(key);
    });
    this.#pending.set(key, { position, lookup });
    return lookup;
  }

  async #ask(key: string, atLeast: Revision, ask: Ask<Answer>): Promise<Entry<Answer>> {
    const { clock, knowledge } = this.#options;
    const askedAt = clock();
    const last = this.#known.get(key)?.answer;
    const { answer, position: reached } = await ask(atLeast, last).catch((error: unknown) => {
      knowledge.noteFailure(clock());
      throw error;
    });
    knowledge.noteAnswer();
    // A store that was restored from an older copy ends before the place that was asked for, and this is its answer.
    const position = isBefore(reached, atLeast) ? atLeast : reached;
    const entry: Entry<Answer> = { answer, position, askedAt, retryAt: 0 };
    const [into, outOf] =
      answer === undefined ? [this.#unknown, this.#known] : [this.#known, this.#unknown];
    outOf.delete(key);
    // Written anew, so that what is asked for again and again is the last to be pushed out.
    into.delete(key);
    into.set(key, entry);
    dropOldest(into, this.#options.maximumEntries);
    return entry;
  }
}
