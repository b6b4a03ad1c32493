import { OLDEST_REVISION, isBefore, type CatalogChanged, type Revision } from '@sluice/contracts';

/** Changes of more organizations than these count for all. */
const MAXIMUM_ORGANIZATIONS = 10_000;

/** What is known about the age of the catalog's answers. One for all caches of a gateway. */
export class CatalogKnowledge {
  #newestChange = OLDEST_REVISION;
  #newestForAll = OLDEST_REVISION;
  readonly #newestFor = new Map<string, Revision>();
  #newestOfModels = OLDEST_REVISION;
  #newestOfOlderStore = OLDEST_REVISION;
  #doubtBefore = Number.NEGATIVE_INFINITY;
  #failure: { readonly at: number; readonly newestChange: Revision } | undefined;

  /** The next look-up asks for at least this place, so that no lagging replica gives the old answer back. */
  get newestChange(): Revision {
    return this.#newestChange;
  }

  /** Answers asked for before this moment may have missed the news of a change. */
  get doubtBefore(): number {
    return this.#doubtBefore;
  }

  /** It could not be asked the last time, and nothing was heard of it since. */
  get isAway(): boolean {
    if (this.#failure === undefined) return false;
    const { at, newestChange } = this.#failure;
    return at >= this.#doubtBefore && !isBefore(newestChange, this.#newestChange);
  }

  /** Whether something changed after that place which may concern the organization; undefined is any. */
  hasChangedSince(
    position: Revision,
    organization: string | undefined,
    { dependsOnModels = true } = {},
  ): boolean {
    if (organization === undefined) return isBefore(position, this.#newestChange);
    if (isBefore(position, this.#newestForAll)) return true;
    if (dependsOnModels && isBefore(position, this.#newestOfModels)) return true;
    const newest = this.#newestFor.get(organization);
    return newest !== undefined && isBefore(position, newest);
  }

  /**
   * False for a change of a store that is older than the newest one heard of. Nobody can say then whether the answers
   * that were given are of before or after it.
   */
  noteChange({ epoch, sequence, organizations, answers }: CatalogChanged): boolean {
    const position: Revision = { epoch, sequence };
    const last = this.#newestChange;
    if (epoch < last.epoch && isBefore(this.#newestOfOlderStore, position)) {
      this.#newestOfOlderStore = position;
      return false;
    }
    if (!isBefore(last, position)) return true;
    this.#newestChange = position;
    // Where news is missing between this and the last, nobody knows whom that concerned.
    const follows = epoch === last.epoch && sequence === last.sequence + 1;
    if (!follows) this.#noteForAll(position);
    else if (answers === 'models') this.#newestOfModels = position;
    else if (organizations === undefined) this.#noteForAll(position);
    else for (const organization of organizations) this.#noteFor(organization, position);
    return true;
  }

  noteMissedNews(now: number): void {
    this.#doubtBefore = now;
  }

  noteAnswer(): void {
    this.#failure = undefined;
  }

  noteFailure(now: number): void {
    this.#failure = { at: now, newestChange: this.#newestChange };
  }

  #noteFor(organization: string, position: Revision): void {
    this.#newestFor.set(organization, position);
    if (this.#newestFor.size > MAXIMUM_ORGANIZATIONS) this.#noteForAll(position);
  }

  #noteForAll(position: Revision): void {
    this.#newestForAll = position;
    this.#newestFor.clear();
  }
}
