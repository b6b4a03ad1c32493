import type { ResourceKind } from '@sluice/contracts';
import type { CatalogView, Stored } from './catalog-state.ts';
import { compareIds } from './compare-ids.ts';

export interface PageRequest {
  /** The id behind which the page starts; undefined starts with the first. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Of API keys only: those of one project; undefined takes all. */
  readonly project?: string | undefined;
}

/** One page by id. `next` is the id to go on behind; undefined when there is no more. */
export function listResources<Kind extends ResourceKind>(
  catalog: CatalogView,
  kind: Kind,
  { after, limit, project }: PageRequest,
): { page: Stored<Kind>[]; next: string | undefined } {
  const first = new FirstById<Kind>(limit + 1);
  for (const stored of catalog.all(kind)) {
    const { document } = stored;
    if (after !== undefined && document.id <= after) continue;
    if (project !== undefined && !('project' in document && document.project === project)) continue;
    first.offer(stored);
  }
  const found = first.take();
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? page.at(-1)?.document.id : undefined };
}

/**
 * The few with the smallest ids of very many, without sorting the rest: whoever lists 100,000 keys asks for a
 * hundred pages, and gateways wait for answers meanwhile.
 */
class FirstById<Kind extends ResourceKind> {
  readonly #count: number;
  #kept: Stored<Kind>[] = [];
  /** Of those that were offered so far, at least `count` come before this id or are it. */
  #last: string | undefined;

  constructor(count: number) {
    this.#count = count;
  }

  offer(stored: Stored<Kind>): void {
    if (this.#last !== undefined && stored.document.id > this.#last) return;
    this.#kept.push(stored);
    if (this.#kept.length < 2 * this.#count) return;
    this.#kept = this.take();
    this.#last = this.#kept.at(-1)?.document.id;
  }

  take(): Stored<Kind>[] {
    return this.#kept
      .toSorted((one, other) => compareIds(one.document.id, other.document.id))
      .slice(0, this.#count);
  }
}
