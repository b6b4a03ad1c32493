import type { CatalogView } from './catalog-state.ts';
import type { DocumentOf, EntryKind } from './entry-kinds.ts';

/** More than these are not listed: then it is simpler for everybody to ask again. */
const MAXIMUM_LISTED = 64;

/**
 * For which organizations other answers may be given after a change; undefined means for all. Judged on the
 * catalog after it: what other changes have moved meanwhile, they announce themselves.
 */
export function affectedOrganizations(
  catalog: CatalogView,
  { kind, id }: { readonly kind: EntryKind; readonly id: string },
): readonly string[] | undefined {
  switch (kind) {
    case 'models':
      return undefined;
    case 'organizations':
      return [id];
    case 'projects':
      return ownerOf(catalog, id);
    case 'api_keys': {
      const key = catalog.get(kind, id);
      return key && ownerOf(catalog, key.document.project);
    }
    case 'plans':
      return known(catalog, kind, id) && organizationsWhere(catalog, ({ plan }) => plan === id);
    case 'accounts':
      return (
        known(catalog, kind, id) &&
        organizationsWhere(catalog, ({ members }) => members.some(({ account }) => account === id))
      );
    case 'signing_keys':
      // A new one has signed nothing yet, and whatever an old one has signed has expired before it goes.
      return [];
  }
}

/** What is gone cannot be asked whom it concerned. */
function known(catalog: CatalogView, kind: EntryKind, id: string): true | undefined {
  return catalog.get(kind, id) === undefined ? undefined : true;
}

function ownerOf(catalog: CatalogView, project: string): readonly string[] | undefined {
  const found = catalog.get('projects', project);
  return found && [found.document.organization];
}

function organizationsWhere(
  catalog: CatalogView,
  concerns: (organization: DocumentOf<'organizations'>) => boolean,
): readonly string[] | undefined {
  const ids: string[] = [];
  for (const { document } of catalog.all('organizations')) {
    if (!concerns(document)) continue;
    if (ids.length === MAXIMUM_LISTED) return undefined;
    ids.push(document.id);
  }
  return ids;
}
