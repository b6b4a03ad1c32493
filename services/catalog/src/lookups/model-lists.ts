import { getResource } from '../changes/manage-resources.ts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import { compareIds, type DocumentOf } from '../model/entry-kinds.ts';

type Plan = DocumentOf<'plans'>;
/**
 * The models of a plan in the order of ids. Models past their shutdown date are included, because gateways check the
 * date for each request.
 */
export type ModelList = readonly DocumentOf<'models'>[];

/** The maximum number of models in all lists together, for example a hundred plans with two thousand each. */
const MAX_LISTED_MODELS = 200_000;

/**
 * Caches the lists of models that gateways ask for. A list depends only on the document of its plan and on all models.
 * While these are unchanged, all organizations of the plan share one list object.
 */
export class ModelLists {
  readonly #catalog: CatalogView;
  readonly #maxListed: number;
  /** The lists by plan id, the most recently used at the end. */
  readonly #kept = new Map<string, { readonly plan: Plan; readonly list: ModelList }>();
  /** The size of all kept lists together. */
  #listed = 0;
  #changesOfModels = 0;

  constructor(catalog: CatalogView, { maxListed = MAX_LISTED_MODELS } = {}) {
    this.#catalog = catalog;
    this.#maxListed = maxListed;
  }

  /** The list for the current state of the catalog. */
  listOf(organizationId: string): ModelList {
    const plan = this.#planOf(organizationId);
    this.#forgetOldModels();
    const kept = this.#kept.get(plan.id);
    // A changed plan has a new document object.
    const list = kept?.plan === plan ? kept.list : this.#make(plan);
    this.#forget(plan.id);
    this.#keep(plan, list);
    return list;
  }

  #planOf(organizationId: string): Plan {
    const { document: organization } = getResource(this.#catalog, 'organizations', organizationId);
    const plan = this.#catalog.get('plans', organization.plan)?.document;
    if (plan !== undefined) return plan;
    throw new CatalogError(
      'unavailable',
      `the plan of organization ${organizationId} cannot be read`,
    );
  }

  #make({ models: names }: Plan): ModelList {
    const matches = modelMatcher(names);
    return Array.from(this.#catalog.all('models'), ({ document }) => document)
      .filter(({ id }) => matches(id))
      .toSorted((one, other) => compareIds(one.id, other.id));
  }

  #forgetOldModels(): void {
    const changes = this.#catalog.changesOf('models');
    if (changes === this.#changesOfModels) return;
    this.#changesOfModels = changes;
    this.#kept.clear();
    this.#listed = 0;
  }

  #keep(plan: Plan, list: ModelList): void {
    this.#kept.set(plan.id, { plan, list });
    this.#listed += sizeOf(list);
    for (const oldest of this.#kept.keys()) {
      if (this.#listed <= this.#maxListed) return;
      this.#forget(oldest);
    }
  }

  #forget(planId: string): void {
    const kept = this.#kept.get(planId);
    if (kept === undefined) return;
    this.#listed -= sizeOf(kept.list);
    this.#kept.delete(planId);
  }
}

/** How much a list counts towards `MAX_LISTED_MODELS`. The list itself counts as one model, so that it is never 0. */
function sizeOf(list: ModelList): number {
  return list.length + 1;
}

/** Returns a function that tells whether a plan names a model, by its id or by a pattern with `*` for any text. */
export function modelMatcher(names: readonly string[]): (id: string) => boolean {
  const ids = new Set(names.filter((name) => !name.includes('*')));
  const patterns = names.filter((name) => name.includes('*')).map(patternMatcher);
  return (id) => ids.has(id) || patterns.some((matches) => matches(id));
}

function patternMatcher(pattern: string): (id: string) => boolean {
  const [head = '', ...pieces] = pattern.split('*');
  const tail = pieces.pop() ?? '';
  return (id) => {
    if (!id.startsWith(head)) return false;
    // The first match of a piece leaves the most text for the next ones, so backtracking is not needed.
    let at = head.length;
    for (const piece of pieces) {
      const found = id.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return id.length - at >= tail.length && id.endsWith(tail);
  };
}
