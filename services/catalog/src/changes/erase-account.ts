import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import { entryName, type EntryKind } from '../model/entry-kinds.ts';
import type { PlannedChange } from './change-writer.ts';
import { withoutMember } from './manage-members.ts';
import { getResource } from './manage-resources.ts';

/** One step of an erasure. Each keeps all references valid, so an erasure that was interrupted can be repeated. */
export type ErasureStep = (catalog: CatalogView) => PlannedChange<EntryKind> | 'nothing';

/**
 * The steps that delete an account and what is only its own: its keys, its invitations and sign-in links, and the
 * organizations without another member, with their projects and keys. The store forgets the earlier versions of all of
 * them, also in the audit log. In other organizations the account is removed from the list of members, whose earlier
 * versions keep its id.
 */
export function erasureSteps(catalog: CatalogView, account: string): ErasureStep[] {
  const { document } = getResource(catalog, 'accounts', account);
  const own = new Set<string>();
  const shared: string[] = [];
  for (const { document: organization } of catalog.all('organizations')) {
    if (!organization.members.some((member) => member.account === account)) continue;
    if (organization.members.length === 1) own.add(organization.id);
    else shared.push(organization.id);
  }
  const email = document.email?.toLowerCase();
  const projects = idsOf(catalog, 'projects', ({ organization }) => own.has(organization));
  const gone = new Set(projects);
  const keys = idsOf(
    catalog,
    'api_keys',
    ({ creator, project }) => creator === account || gone.has(project),
  );
  const links = idsOf(catalog, 'sign_in_links', (link) => link.account === account);
  const invitations = idsOf(
    catalog,
    'invitations',
    (one) =>
      one.invited_by === account ||
      own.has(one.organization) ||
      (email !== undefined && one.email?.toLowerCase() === email),
  );
  return [
    ...shared.map((id) => leaving(id, account)),
    ...invitations.map((id) => erasing('invitations', id)),
    ...links.map((id) => erasing('sign_in_links', id)),
    ...keys.map((id) => erasing('api_keys', id)),
    ...projects.map((id) => erasing('projects', id)),
    ...Array.from(own, (id) => erasing('organizations', id)),
    erasing('accounts', account),
  ];
}

/** The entries that a completed erasure has deleted. */
export function erasedEntry(planned: PlannedChange<EntryKind> | 'nothing'): string | undefined {
  if (planned === 'nothing' || planned.document !== null) return undefined;
  return entryName(planned.kind, planned.id);
}

function leaving(id: string, account: string): ErasureStep {
  return (catalog) => {
    const organization = catalog.get('organizations', id)?.document;
    if (organization === undefined) return 'nothing';
    return {
      kind: 'organizations',
      id,
      action: 'update',
      document: withoutMember(organization, account),
    };
  };
}

function erasing(kind: EntryKind, id: string): ErasureStep {
  return (catalog) => {
    if (catalog.get(kind, id) === undefined) return 'nothing';
    requireNotShared(catalog, kind, id);
    return { kind, id, action: 'delete', document: null, erasesHistory: true };
  };
}

/** A member may have joined, or made a key, since the steps were planned. */
function requireNotShared(catalog: CatalogView, kind: EntryKind, id: string): void {
  const isShared =
    kind === 'organizations' &&
    (catalog.get('organizations', id)?.document.members.length ?? 0) > 1;
  const isUsed =
    (kind === 'organizations' &&
      idsOf(catalog, 'projects', ({ organization }) => organization === id).length > 0) ||
    (kind === 'projects' &&
      idsOf(catalog, 'api_keys', ({ project }) => project === id).length > 0) ||
    (kind === 'accounts' && idsOf(catalog, 'api_keys', ({ creator }) => creator === id).length > 0);
  if (isShared || isUsed) {
    throw new CatalogError('conflict', `${entryName(kind, id)} is in use meanwhile: try again`);
  }
}

function idsOf<Kind extends EntryKind>(
  catalog: CatalogView,
  kind: Kind,
  isWanted: (document: NonNullable<PlannedChange<Kind>['document']>) => boolean,
): string[] {
  const ids: string[] = [];
  for (const { document } of catalog.all(kind)) if (isWanted(document)) ids.push(document.id);
  return ids;
}
