import { CatalogError } from './catalog-error.ts';
import type { CatalogView } from './catalog-state.ts';
import { compareIds } from './compare-ids.ts';
import type { DocumentOf } from './entry-kinds.ts';
import { getResource } from './manage-resources.ts';
import { modelMatcher } from './model-pattern.ts';

/** The models of an organization's plan by id, shut down or not: dates are judged where requests are. */
export function listModels(catalog: CatalogView, organizationId: string): DocumentOf<'models'>[] {
  const { document: organization } = getResource(catalog, 'organizations', organizationId);
  const plan = catalog.get('plans', organization.plan)?.document;
  if (plan === undefined) {
    throw new CatalogError(
      'unavailable',
      `the plan of organization ${organizationId} cannot be read`,
    );
  }
  const matches = modelMatcher(plan.models);
  return Array.from(catalog.all('models'), ({ document }) => document)
    .filter(({ id }) => matches(id))
    .toSorted((one, other) => compareIds(one.id, other.id));
}
