import { OLDEST_REVISION, isBefore, type CatalogChanged, type Revision } from '@sluice/contracts';

/** If more organizations than this have changed, all organizations count as changed. */
const MAXIMUM_ORGANIZATIONS = 10_000;

/** Tracks changes of the catalog, to decide which cached answers are outdated. Shared by all caches of a gateway. */
export class CatalogChanges {
  #newestChange = OLDEST_REVISION;
  #newestForAll = OLDEST_REVISION;
  readonly #newestFor = new Map<string, Revision>();
  #newestOfModels = OLDEST_REVISION;
  /** The newest change of a store that is older than the newest known store. An older notice of it is ignored. */
  #newestOfOlderStore = OLDEST_REVISION;
  #staleBefore = Number.NEGATIVE_INFINITY;
  #failure: { readonly at: number; readonly newestChange: Revision } | undefined;

  /** Look-ups ask for at least this revision, so that a lagging replica cannot return an older answer. */
  get newestChange(): Revision {
    return this.#newestChange;
  }

  /**
   * Answers that were requested before this time may be outdated, because notices of changes may have been lost.
   */
  get staleBefore(): number {
    return this.#staleBefore;
  }

  /** Whether the last call failed and nothing was received from the catalog since. */
  get isUnreachable(): boolean {
    if (this.#failure === undefined) return false;
    const { at, newestChange } = this.#failure;
    return at >= this.#staleBefore && !isBefore(newestChange, this.#newestChange);
  }

  /** Whether a change after that revision may concern the organization. Undefined stands for any organization. */
  hasChangedSince(
    revision: Revision,
    organization: string | undefined,
    { dependsOnModels = true } = {},
  ): boolean {
    if (organization === undefined) return isBefore(revision, this.#newestChange);
    if (isBefore(revision, this.#newestForAll)) return true;
    if (dependsOnModels && isBefore(revision, this.#newestOfModels)) return true;
    const newest = this.#newestFor.get(organization);
    return newest !== undefined && isBefore(revision, newest);
  }

  /**
   * Returns false for a change from an older store than the newest one known. Revisions of different stores cannot be
   * compared, so it is unknown which answers the change outdates.
   */
  noteChange({ epoch, sequence, organizations, answers }: CatalogChanged): boolean {
    const revision: Revision = { epoch, sequence };
    const last = this.#newestChange;
    if (epoch < last.epoch && isBefore(this.#newestOfOlderStore, revision)) {
      this.#newestOfOlderStore = revision;
      return false;
    }
    if (!isBefore(last, revision)) return true;
    this.#newestChange = revision;
    // If notices between the last one and this one are missing, the change may concern any organization.
    const follows = epoch === last.epoch && sequence === last.sequence + 1;
    if (!follows) this.#noteForAll(revision);
    else if (answers === 'models') this.#newestOfModels = revision;
    else if (organizations === undefined) this.#noteForAll(revision);
    else for (const organization of organizations) this.#noteFor(organization, revision);
    return true;
  }

  invalidateAll(now: number): void {
    this.#staleBefore = now;
  }

  noteAnswer(): void {
    this.#failure = undefined;
  }

  noteFailure(now: number): void {
    this.#failure = { at: now, newestChange: this.#newestChange };
  }

  #noteFor(organization: string, revision: Revision): void {
    this.#newestFor.set(organization, revision);
    if (this.#newestFor.size > MAXIMUM_ORGANIZATIONS) this.#noteForAll(revision);
  }

  #noteForAll(revision: Revision): void {
    this.#newestForAll = revision;
    this.#newestFor.clear();
  }
}
