import { CatalogError } from './catalog-error.ts';
import type { CatalogView } from './catalog-state.ts';
import { compareIds } from './compare-ids.ts';
import type { DocumentOf } from './entry-kinds.ts';
import { getResource } from './manage-resources.ts';
import { modelMatcher } from './model-pattern.ts';

type Plan = DocumentOf<'plans'>;
/** The models of a plan by id, shut down or not: dates are judged where requests are. */
export type ModelList = readonly DocumentOf<'models'>[];

/** So many models in all lists together: a hundred plans of two thousand. */
const MAXIMUM_LISTED = 200_000;

/**
 * The lists of models that gateways ask for. One is made of a plan's document and of all models, and of nothing else;
 * while these are the same, every organization of the plan gets the very same list.
 */
export class ModelLists {
  readonly #catalog: CatalogView;
  readonly #maximumListed: number;
  /** By plan, the one that was asked for last at the end. */
  readonly #kept = new Map<string, { readonly plan: Plan; readonly list: ModelList }>();
  #listed = 0;
  #changesOfModels = 0;

  constructor(catalog: CatalogView, { maximumListed = MAXIMUM_LISTED } = {}) {
    this.#catalog = catalog;
    this.#maximumListed = maximumListed;
  }

  /** As the catalog is at this moment. */
  listOf(organizationId: string): ModelList {
    const plan = this.#planOf(organizationId);
    this.#forgetOldModels();
    const kept = this.#kept.get(plan.id);
    // A plan that was changed is another document.
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
      if (this.#listed <= this.#maximumListed) return;
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

/** A list of nothing takes room, too. */
function sizeOf(list: ModelList): number {
  return list.length + 1;
}
