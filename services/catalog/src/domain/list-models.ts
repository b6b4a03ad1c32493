import { CatalogError } from './catalog-error.ts';
import type { CatalogView } from './catalog-state.ts';
import type { DocumentOf } from './entry-kinds.ts';
import { matchesModelPattern } from './model-pattern.ts';

/** The models of an organization's plan by id, shut down or not: dates are judged where requests are. */
export function listModels(catalog: CatalogView, organizationId: string): DocumentOf<'models'>[] {
  const organization = catalog.get('organizations', organizationId)?.document;
  if (organization === undefined) {
    throw new CatalogError('not_found', `there is no organization ${organizationId}`);
  }
  const plan = catalog.get('plans', organization.plan)?.document;
  if (plan === undefined) {
    throw new CatalogError(
      'unavailable',
      `the plan of organization ${organizationId} cannot be read`,
    );
  }
  return Array.from(catalog.all('models'), ({ document }) => document)
    .filter(({ id }) => plan.models.some((pattern) => matchesModelPattern(pattern, id)))
    .toSorted((one, other) => compareIds(one.id, other.id));
}

/** By code units: the same order on every machine. */
export function compareIds(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
