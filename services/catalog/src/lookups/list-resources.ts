import type { ResourceKind } from '@sluice/contracts';
import type { CatalogView, Stored } from '../model/catalog-state.ts';
import { compareIds } from '../model/entry-kinds.ts';

export interface PageRequest {
  /** The page starts after this id; undefined starts with the first. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Selects the API keys of this project. Undefined selects all. Used for API keys only. */
  readonly project?: string | undefined;
}

/** Returns one page in the order of ids. `next` is the `after` of the next page; undefined at the end. */
export function listResources<Kind extends ResourceKind>(
  catalog: CatalogView,
  kind: Kind,
  { after, limit, project }: PageRequest,
): { page: Stored<Kind>[]; next: string | undefined } {
  // One more than the page holds shows whether there is a next page.
  const first = new SmallestIds<Kind>(limit + 1);
  for (const stored of catalog.all(kind)) {
    const { document } = stored;
    if (after !== undefined && document.id <= after) continue;
    if (project !== undefined && !('project' in document && document.project === project)) continue;
    first.offer(stored);
  }
  const found = first.selected();
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? page.at(-1)?.document.id : undefined };
}

/**
 * Selects the smallest ids without sorting all of them. A list of 100,000 keys has a hundred pages. No page may block
 * the event loop for long, because gateways wait for answers.
 */
class SmallestIds<Kind extends ResourceKind> {
  readonly #count: number;
  #kept: Stored<Kind>[] = [];
  /** A larger id cannot be selected, because `count` ids up to this one were offered. Undefined until then. */
  #largestPossible: string | undefined;

  constructor(count: number) {
    this.#count = count;
  }

  offer(stored: Stored<Kind>): void {
    const { id } = stored.document;
    if (this.#largestPossible !== undefined && id > this.#largestPossible) return;
    this.#kept.push(stored);
    if (this.#kept.length < 2 * this.#count) return;
    this.#kept = this.selected();
    this.#largestPossible = this.#kept.at(-1)?.document.id;
  }

  selected(): Stored<Kind>[] {
    return this.#kept
      .toSorted((one, other) => compareIds(one.document.id, other.document.id))
      .slice(0, this.#count);
  }
}
