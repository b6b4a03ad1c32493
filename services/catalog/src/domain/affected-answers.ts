import type { CatalogChanged } from '@sluice/contracts';
import { affectedOrganizations } from './affected-organizations.ts';
import type { CatalogView } from './catalog-state.ts';
import type { EntryKind } from './entry-kinds.ts';

export interface ChangeScope {
  /** Undefined: everybody's. */
  readonly organizations?: readonly string[] | undefined;
  /** Undefined: any. */
  readonly answers?: CatalogChanged['answers'];
}

/** Which of the answers that gateways have got may be others after a change. */
export function affectedAnswers(
  catalog: CatalogView,
  change: { readonly kind: EntryKind; readonly id: string },
): ChangeScope {
  return {
    organizations: affectedOrganizations(catalog, change),
    // Who a credential speaks for, and on which terms, is found without a look at any model.
    ...(change.kind === 'models' && { answers: 'models' }),
  };
}
