import { ResourceSchemas, type ResourceKind, type ResourceOf } from '@sluice/contracts';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';

/** An entry of the catalog, read back as what its kind says. */
export interface StoredResource<Kind extends ResourceKind> {
  readonly id: string;
  readonly document: ResourceOf<Kind>;
  readonly sequence: number;
}

/** Every entry of a kind, however many pages that takes. */
export async function listResources<Kind extends ResourceKind>(
  admin: CatalogAdminClient,
  kind: Kind,
  { project = '' }: { project?: string } = {},
): Promise<StoredResource<Kind>[]> {
  const found: StoredResource<Kind>[] = [];
  let after = '';
  do {
    const page = await admin.listResources({ kind, after, project });
    for (const resource of page.resources) {
      found.push({
        id: resource.id,
        document: readDocument(kind, resource.document),
        sequence: resource.sequence,
      });
    }
    after = page.nextAfter;
  } while (after !== '');
  return found;
}

/** Everything a catalog holds. */
export type CatalogContent = {
  readonly [Kind in ResourceKind]: readonly StoredResource<Kind>[];
};

export async function readCatalog(admin: CatalogAdminClient): Promise<CatalogContent> {
  const [plans, models, accounts, organizations, projects, api_keys] = await Promise.all([
    listResources(admin, 'plans'),
    listResources(admin, 'models'),
    listResources(admin, 'accounts'),
    listResources(admin, 'organizations'),
    listResources(admin, 'projects'),
    listResources(admin, 'api_keys'),
  ]);
  return { plans, models, accounts, organizations, projects, api_keys };
}

/** Undefined when there is none of that id. */
export async function findResource<Kind extends ResourceKind>(
  admin: CatalogAdminClient,
  kind: Kind,
  id: string,
): Promise<StoredResource<Kind> | undefined> {
  try {
    const { document, sequence } = await admin.getResource({ kind, id });
    return { id, document: readDocument(kind, document), sequence };
  } catch (error) {
    if (error instanceof RpcError && error.code === 'not_found') return undefined;
    throw error;
  }
}

export async function createResource<Kind extends ResourceKind>(
  admin: CatalogAdminClient,
  kind: Kind,
  document: ResourceOf<Kind>,
): Promise<void> {
  await admin.createResource({ kind, id: document.id, document: JSON.stringify(document) });
}

type Readers = { readonly [Kind in ResourceKind]: (document: unknown) => ResourceOf<Kind> };

const READERS: Readers = {
  plans: (document) => ResourceSchemas.plans.parse(document),
  models: (document) => ResourceSchemas.models.parse(document),
  accounts: (document) => ResourceSchemas.accounts.parse(document),
  organizations: (document) => ResourceSchemas.organizations.parse(document),
  projects: (document) => ResourceSchemas.projects.parse(document),
  api_keys: (document) => ResourceSchemas.api_keys.parse(document),
};

function readDocument<Kind extends ResourceKind>(kind: Kind, document: string): ResourceOf<Kind> {
  return READERS[kind](JSON.parse(document));
}
