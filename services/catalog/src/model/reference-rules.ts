import type { Organization, ResourceKind } from '@sluice/contracts';
import { isActiveMember } from './access-refusal.ts';
import { CatalogError } from './catalog-error.ts';
import type { CatalogView } from './catalog-state.ts';
import { KIND_LABELS, type DocumentOf } from './entry-kinds.ts';

type ReferenceCheck<Kind extends ResourceKind> = (
  catalog: CatalogView,
  document: DocumentOf<Kind>,
) => void;
type UseCheck = (catalog: CatalogView, id: string) => readonly string[];

/** The resources that a resource refers to must exist. A plan names models by patterns, so these are not checked. */
const REFERENCES: { readonly [Kind in ResourceKind]: ReferenceCheck<Kind> } = {
  plans: () => undefined,
  models: () => undefined,
  accounts: () => undefined,
  organizations: (catalog, { plan, members }) => {
    requireEntry(catalog, 'plans', plan);
    for (const { account } of members) requireEntry(catalog, 'accounts', account);
  },
  projects: (catalog, { organization }) => requireEntry(catalog, 'organizations', organization),
  api_keys: (catalog, { project, creator }) => {
    requireEntry(catalog, 'projects', project);
    requireEntry(catalog, 'accounts', creator);
  },
};

/** Describes the uses of a resource, which prevent its deletion. */
const USES: Readonly<Record<ResourceKind, UseCheck>> = {
  plans: (catalog, id) =>
    namesOf(catalog, 'organizations', ({ plan }) => plan === id).map(
      (name) => `the plan of ${name}`,
    ),
  models: () => [],
  accounts: (catalog, id) => [
    ...namesOf(catalog, 'organizations', ({ members }) =>
      members.some(({ account }) => account === id),
    ).map((name) => `a member of ${name}`),
    ...namesOf(catalog, 'api_keys', ({ creator }) => creator === id).map(
      (name) => `the creator of ${name}`,
    ),
  ],
  organizations: (catalog, id) =>
    namesOf(catalog, 'projects', ({ organization }) => organization === id).map(
      (name) => `the owner of ${name}`,
    ),
  projects: (catalog, id) =>
    namesOf(catalog, 'api_keys', ({ project }) => project === id).map(
      (name) => `the project of ${name}`,
    ),
  api_keys: () => [],
};

export function requireReferences<Kind extends ResourceKind>(
  catalog: CatalogView,
  kind: Kind,
  document: DocumentOf<Kind>,
): void {
  REFERENCES[kind](catalog, document);
}

export function requireUnused(catalog: CatalogView, kind: ResourceKind, id: string): void {
  const uses = USES[kind](catalog, id);
  if (uses.length === 0) return;
  const shown = uses.slice(0, 3).join(', ');
  const more = uses.length > 3 ? ` and ${uses.length - 3} more` : '';
  throw new CatalogError(
    'forbidden_by_state',
    `${KIND_LABELS[kind]} ${id} is still in use: it is ${shown}${more}`,
  );
}

export function requireEntry<Kind extends ResourceKind>(
  catalog: CatalogView,
  kind: Kind,
  id: string,
) {
  const found = catalog.get(kind, id);
  if (found === undefined) {
    throw new CatalogError('forbidden_by_state', `there is no ${KIND_LABELS[kind]} ${id}`);
  }
  return found;
}

/** Only active members of an organization may have credentials for its projects. */
export function requireActiveMember(organization: Organization, account: string): void {
  if (isActiveMember(organization, account)) return;
  throw new CatalogError(
    'forbidden_by_state',
    `account ${account} is not an active member of organization ${organization.id}`,
  );
}

function namesOf<Kind extends ResourceKind>(
  catalog: CatalogView,
  kind: Kind,
  refersTo: (document: DocumentOf<Kind>) => boolean,
): string[] {
  const names: string[] = [];
  for (const { document } of catalog.all(kind)) {
    if (refersTo(document)) names.push(`${KIND_LABELS[kind]} ${document.id}`);
  }
  return names;
}
