import { isDeepStrictEqual } from 'node:util';
import { BudgetStop } from '@sluice/contracts';
import { CatalogError } from '../model/catalog-error.ts';
import type { PlanChange } from './change-writer.ts';
import { getResource } from './manage-resources.ts';

/**
 * Plans to stop an organization that has spent its budget, or to lift the stop if `wanted` is undefined. The stop is an
 * entry of its own beside the organization, so that `sluice apply` can neither set nor remove it.
 */
export function planBudgetStop(
  organization: string,
  wanted: Omit<BudgetStop, 'id'> | undefined,
): PlanChange<'budget_stops'> {
  const document = wanted === undefined ? null : readStop({ ...wanted, id: organization });
  const change = { kind: 'budget_stops', id: organization, document } as const;
  return (catalog) => {
    const present = catalog.get('budget_stops', organization)?.document;
    if (document === null) {
      return present === undefined ? 'nothing' : { ...change, action: 'delete' };
    }
    getResource(catalog, 'organizations', organization);
    if (isDeepStrictEqual(present, document)) return 'nothing';
    return { ...change, action: present === undefined ? 'create' : 'update' };
  };
}

function readStop(fields: BudgetStop): BudgetStop {
  const { success, data } = BudgetStop.safeParse(fields);
  if (success) return data;
  throw new CatalogError('invalid', 'a stop needs a month and amounts as decimal numbers');
}
