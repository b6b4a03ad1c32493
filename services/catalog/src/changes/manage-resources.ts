import { isDeepStrictEqual } from 'node:util';
import { withKeptFields, type ResourceKind } from '@sluice/contracts';
import * as z from 'zod';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView, Stored } from '../model/catalog-state.ts';
import {
  EntrySchemas,
  KIND_LABELS,
  type DocumentOf,
  type EntryKind,
} from '../model/entry-kinds.ts';
import { requireReferences, requireUnused } from '../model/reference-rules.ts';
import type { PlanChange } from './change-writer.ts';

/** API keys have their own operations. All other resources are managed as documents. */
export type ManagedKind = Exclude<ResourceKind, 'api_keys'>;

export interface ResourceReference<Kind extends ResourceKind> {
  readonly kind: Kind;
  readonly id: string;
  /** The change is refused unless the resource has this sequence. Undefined skips the check. */
  readonly expectedSequence?: number | undefined;
}

/** Parses a document that an operator sent. */
export function parseDocument<Kind extends ManagedKind>(
  kind: Kind,
  text: string,
): DocumentOf<Kind> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new CatalogError('invalid', `the ${KIND_LABELS[kind]} is not valid JSON`, { cause });
  }
  return parseResource(kind, parsed);
}

/** Validates a document. The error message names every invalid field. */
export function parseResource<Kind extends EntryKind>(
  kind: Kind,
  fields: unknown,
): DocumentOf<Kind> {
  const schema: z.ZodType<DocumentOf<Kind>> = EntrySchemas[kind];
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    ({ path, message }) => `${z.core.toDotPath(path) || 'document'}: ${message}`,
  );
  throw new CatalogError('invalid', `the ${KIND_LABELS[kind]} is invalid: ${faults.join('; ')}`);
}

export function planCreate<Kind extends ManagedKind>(
  kind: Kind,
  document: DocumentOf<Kind>,
): PlanChange<Kind> {
  return (catalog) => {
    if (catalog.get(kind, document.id) !== undefined) {
      throw new CatalogError(
        'already_exists',
        `${KIND_LABELS[kind]} ${document.id} exists already`,
      );
    }
    requireReferences(catalog, kind, document);
    return { kind, id: document.id, action: 'create', document };
  };
}

export function planUpdate<Kind extends ManagedKind>(
  reference: ResourceReference<Kind>,
  document: DocumentOf<Kind>,
): PlanChange<Kind> {
  const { kind, id } = reference;
  return (catalog) => {
    const present = getCurrent(catalog, reference);
    requireSameOwner(present, document);
    requireReferences(catalog, kind, document);
    // Fields that people set in the console stay as they are, unless the document sets them.
    const updated = withKeptFields<DocumentOf<Kind>>(kind, present.document, document);
    // Applying an unchanged file again must write nothing, because every write invalidates cached answers.
    if (isDeepStrictEqual(present.document, updated)) return 'nothing';
    return { kind, id, action: 'update', document: updated };
  };
}

export function planDelete<Kind extends ResourceKind>(
  reference: ResourceReference<Kind>,
): PlanChange<Kind> {
  const { kind, id } = reference;
  return (catalog) => {
    getCurrent(catalog, reference);
    requireUnused(catalog, kind, id);
    return { kind, id, action: 'delete', document: null };
  };
}

export function getResource<Kind extends EntryKind>(
  catalog: CatalogView,
  kind: Kind,
  id: string,
): Stored<Kind> {
  const found = catalog.get(kind, id);
  if (found === undefined) {
    throw new CatalogError('not_found', `there is no ${KIND_LABELS[kind]} ${id}`);
  }
  return found;
}

/** The resource to change. Throws `conflict` if it has changed since the caller read it. */
function getCurrent<Kind extends ResourceKind>(
  catalog: CatalogView,
  { kind, id, expectedSequence }: ResourceReference<Kind>,
): Stored<Kind> {
  const found = getResource(catalog, kind, id);
  if (expectedSequence !== undefined && found.sequence !== expectedSequence) {
    throw new CatalogError('conflict', `${KIND_LABELS[kind]} ${id} has changed: read it again`);
  }
  return found;
}

/**
 * Throws if a project would move to another organization, because its keys would then use the limits and the billing of
 * that organization.
 */
function requireSameOwner(present: Stored<ManagedKind>, document: DocumentOf<ManagedKind>): void {
  const owner = 'organization' in present.document ? present.document.organization : undefined;
  const wanted = 'organization' in document ? document.organization : undefined;
  if (owner !== wanted) {
    throw new CatalogError(
      'forbidden_by_state',
      `project ${document.id} belongs to organization ${owner} and cannot move to another`,
    );
  }
}
