import {
  ResourceSchemas,
  readKnownFields,
  type KnownFields,
  type ResourceKind,
  type ResourceOf,
} from '@sluice/contracts';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';
import * as z from 'zod';
import { CommandFailure } from '../command.ts';

/** A catalog entry, parsed with the schema of its kind. */
export interface StoredResource<Kind extends ResourceKind> extends KnownFields<ResourceOf<Kind>> {
  readonly id: string;
  readonly sequence: number;
}

/** All entries of a kind, from all pages. */
export async function listResources<Kind extends ResourceKind>(
  admin: CatalogAdminClient,
  kind: Kind,
  { project = '' }: { project?: string } = {},
): Promise<StoredResource<Kind>[]> {
  const found: StoredResource<Kind>[] = [];
  let after = '';
  do {
    const page = await admin.listResources({ kind, after, project });
    for (const resource of page.resources) found.push(readResource(kind, resource));
    after = page.nextAfter;
  } while (after !== '');
  return found;
}

/** All entries of a catalog, by kind. */
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

/** Undefined if there is no resource with this id. */
export async function findResource<Kind extends ResourceKind>(
  admin: Pick<CatalogAdminClient, 'getResource'>,
  kind: Kind,
  id: string,
): Promise<StoredResource<Kind> | undefined> {
  try {
    return readResource(kind, await admin.getResource({ kind, id }));
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

/** Refused if the entry has changed since it was read. */
export async function updateResource<Kind extends ResourceKind>(
  admin: CatalogAdminClient,
  kind: Kind,
  { id, document, sequence }: Pick<StoredResource<Kind>, 'id' | 'document' | 'sequence'>,
): Promise<void> {
  await admin.updateResource({ kind, id, document: JSON.stringify(document), sequence });
}

type SchemaByKind = { readonly [Kind in ResourceKind]: z.ZodType<ResourceOf<Kind>> };
const SCHEMAS: SchemaByKind = ResourceSchemas;

interface SentResource {
  readonly id: string;
  readonly document: string;
  readonly sequence: number;
}

/** Parses an entry. A catalog that is newer than this command may send unknown fields: `unknownFields` lists them. */
function readResource<Kind extends ResourceKind>(
  kind: Kind,
  { id, document, sequence }: SentResource,
): StoredResource<Kind> {
  const schema: z.ZodType<ResourceOf<Kind>> = SCHEMAS[kind];
  try {
    return { id, sequence, ...readKnownFields(schema, JSON.parse(document)) };
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    throw new CommandFailure(
      `${kind}/${id} cannot be understood: the catalog is newer than this command, which must be upgraded`,
      { cause },
    );
  }
}

/**
 * One message for each entry with fields that this version does not know. These fields would be lost if the entry were
 * written back.
 */
export function unknownFieldProblems(
  kind: ResourceKind,
  entries: readonly StoredResource<ResourceKind>[],
): string[] {
  return entries
    .filter(({ unknownFields }) => unknownFields.length > 0)
    .map(
      ({ id, unknownFields }) =>
        `${kind}/${id} would lose ${unknownFields.join(', ')}: the catalog is newer than this command, which must be upgraded`,
    );
}
