import type { CatalogChanged } from '@sluice/contracts';
import type { CatalogView } from '../model/catalog-state.ts';
import type { EntryKind, DocumentOf } from '../model/entry-kinds.ts';

export interface ChangeScope {
  /** Undefined means all organizations. */
  readonly organizations?: readonly string[] | undefined;
  /** Undefined means all kinds of answers. */
  readonly answers?: CatalogChanged['answers'];
}

/** Which cached answers of gateways a change may affect. */
export function affectedAnswers(
  catalog: CatalogView,
  change: { readonly kind: EntryKind; readonly id: string },
): ChangeScope {
  return {
    organizations: affectedOrganizations(catalog, change),
    // Credentials are resolved without reading any model.
    ...(change.kind === 'models' && { answers: 'models' }),
  };
}

/** If a change affects more organizations than this, it is announced for all organizations. */
const MAX_NAMED_ORGANIZATIONS = 64;

/**
 * The organizations whose answers a change may affect; undefined means all. The state must include the change. It may
 * include later changes, because these announce their own effects. If the entry was deleted, its organizations are
 * unknown, so the change may affect all.
 */
export function affectedOrganizations(
  catalog: CatalogView,
  { kind, id }: { readonly kind: EntryKind; readonly id: string },
): readonly string[] | undefined {
  switch (kind) {
    case 'models':
      return undefined;
    case 'organizations':
    case 'budget_stops':
      return [id];
    case 'projects':
      return ownerOf(catalog, id);
    case 'api_keys': {
      const key = catalog.get(kind, id);
      return key && ownerOf(catalog, key.document.project);
    }
    case 'plans':
      if (catalog.get(kind, id) === undefined) return undefined;
      return organizationsWhere(catalog, ({ plan }) => plan === id);
    case 'accounts':
      if (catalog.get(kind, id) === undefined) return undefined;
      return organizationsWhere(catalog, ({ members }) =>
        members.some(({ account }) => account === id),
      );
    case 'signing_keys':
      // A new key has not signed anything yet, and all tokens of a deleted key have expired.
      return [];
    case 'invitations':
    case 'sign_in_links':
      // Gateways do not ask about them.
      return [];
  }
}

function ownerOf(catalog: CatalogView, project: string): readonly string[] | undefined {
  const found = catalog.get('projects', project);
  return found && [found.document.organization];
}

function organizationsWhere(
  catalog: CatalogView,
  isAffected: (organization: DocumentOf<'organizations'>) => boolean,
): readonly string[] | undefined {
  const ids: string[] = [];
  for (const { document } of catalog.all('organizations')) {
    if (!isAffected(document)) continue;
    if (ids.length === MAX_NAMED_ORGANIZATIONS) return undefined;
    ids.push(document.id);
  }
  return ids;
}
