import type { BudgetStop, Organization } from '@sluice/contracts';
import type { CatalogView } from '../model/catalog-state.ts';
import { compareIds, type DocumentOf, type EntryKind } from '../model/entry-kinds.ts';

/** What the usage service needs of an organization. */
export interface BudgetedOrganization {
  readonly id: string;
  /** Undefined if it was deleted. */
  readonly organization: Organization | undefined;
  readonly stop: BudgetStop | undefined;
}

export interface BudgetView {
  /** Models that have prices. */
  readonly models: readonly DocumentOf<'models'>[];
  readonly organizations: readonly BudgetedOrganization[];
}

const READ_KINDS = ['models', 'organizations', 'budget_stops'] as const satisfies EntryKind[];

/** Collects prices, budgets and stops. The result is cached until a model, an organization or a stop changes. */
export class BudgetReader {
  readonly #catalog: CatalogView;
  #kept: { readonly changes: string; readonly view: BudgetView } | undefined;

  constructor(catalog: CatalogView) {
    this.#catalog = catalog;
  }

  read(): BudgetView {
    const changes = READ_KINDS.map((kind) => this.#catalog.changesOf(kind)).join();
    if (this.#kept?.changes !== changes) this.#kept = { changes, view: this.#collect() };
    return this.#kept.view;
  }

  #collect(): BudgetView {
    const catalog = this.#catalog;
    const found: BudgetedOrganization[] = [];
    for (const { document: organization } of catalog.all('organizations')) {
      const { id, budget, webhooks } = organization;
      const stop = catalog.get('budget_stops', id)?.document;
      if (budget !== undefined || webhooks !== undefined || stop !== undefined) {
        found.push({ id, organization, stop });
      }
    }
    for (const { document: stop } of catalog.all('budget_stops')) {
      if (catalog.get('organizations', stop.id) !== undefined) continue;
      found.push({ id: stop.id, organization: undefined, stop });
    }
    const models = Array.from(catalog.all('models'), ({ document }) => document);
    return {
      models: byId(models.filter(({ prices }) => prices !== undefined)),
      organizations: byId(found),
    };
  }
}

/** Sorts the entries, so that the order is the same at all replicas. */
function byId<Entry extends { readonly id: string }>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) => compareIds(one.id, other.id));
}
