import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import { entryName, type EntryKind } from '../model/entry-kinds.ts';
import type { PlannedChange } from './change-writer.ts';
import { withoutMember } from './manage-members.ts';
import { getResource } from './manage-resources.ts';

/**
 * Plans one step of an erasure. References stay valid after each step, so an erasure that was interrupted can be
 * repeated.
 */
export type ErasureStep = (catalog: CatalogView) => PlannedChange<EntryKind> | 'nothing';

/**
 * The steps that delete an account and everything that belongs only to it: its keys, its invitations and sign-in links,
 * and the organizations without another member, with their projects and keys. The store also deletes the earlier
 * versions of these entries, so the audit log no longer shows them.
 *
 * In organizations with other members, the account is only removed from the list of members. Earlier versions of these
 * organizations still contain its id.
 */
export function erasureSteps(catalog: CatalogView, account: string): ErasureStep[] {
  const { document } = getResource(catalog, 'accounts', account);
  const ownOrganizations = new Set<string>();
  const sharedOrganizations: string[] = [];
  for (const { document: organization } of catalog.all('organizations')) {
    if (!organization.members.some((member) => member.account === account)) continue;
    if (organization.members.length === 1) ownOrganizations.add(organization.id);
    else sharedOrganizations.push(organization.id);
  }
  const email = document.email?.toLowerCase();
  const projects = idsOf(catalog, 'projects', ({ organization }) =>
    ownOrganizations.has(organization),
  );
  const erasedProjects = new Set(projects);
  const keys = idsOf(
    catalog,
    'api_keys',
    ({ creator, project }) => creator === account || erasedProjects.has(project),
  );
  const links = idsOf(catalog, 'sign_in_links', (link) => link.account === account);
  const invitations = idsOf(
    catalog,
    'invitations',
    (invitation) =>
      invitation.invited_by === account ||
      ownOrganizations.has(invitation.organization) ||
      (email !== undefined && invitation.email?.toLowerCase() === email),
  );
  return [
    ...sharedOrganizations.map((id) => removeMember(id, account)),
    ...invitations.map((id) => eraseEntry('invitations', id)),
    ...links.map((id) => eraseEntry('sign_in_links', id)),
    ...keys.map((id) => eraseEntry('api_keys', id)),
    ...projects.map((id) => eraseEntry('projects', id)),
    ...Array.from(ownOrganizations, (id) => eraseEntry('organizations', id)),
    eraseEntry('accounts', account),
  ];
}

/** The name of the entry that a planned step deletes; undefined if it deletes none. */
export function erasedEntry(planned: PlannedChange<EntryKind> | 'nothing'): string | undefined {
  if (planned === 'nothing' || planned.document !== null) return undefined;
  return entryName(planned.kind, planned.id);
}

function removeMember(id: string, account: string): ErasureStep {
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

function eraseEntry(kind: EntryKind, id: string): ErasureStep {
  return (catalog) => {
    if (catalog.get(kind, id) === undefined) return 'nothing';
    requireStillUnused(catalog, kind, id);
    return { kind, id, action: 'delete', document: null, erasesHistory: true };
  };
}

/** Throws if, since the steps were planned, a member joined, or a project or a key was created. */
function requireStillUnused(catalog: CatalogView, kind: EntryKind, id: string): void {
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
