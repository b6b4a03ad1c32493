import { isDeepStrictEqual } from 'node:util';
import type { ResourceKind } from '@sluice/contracts';
import * as z from 'zod';
import { CatalogError } from './catalog-error.ts';
import type { CatalogView, Stored } from './catalog-state.ts';
import type { Decide } from './change-writer.ts';
import { EntrySchemas, NOUNS, type DocumentOf } from './entry-kinds.ts';
import { requireReferences, requireUnused } from './reference-rules.ts';

/** API keys are made and revoked by operations of their own; the rest is managed as documents. */
export type ManagedKind = Exclude<ResourceKind, 'api_keys'>;

export interface ResourceReference<Kind extends ResourceKind> {
  readonly kind: Kind;
  readonly id: string;
  /** Refuse unless this is the entry's own sequence; undefined asks for no such check. */
  readonly expectedSequence?: number | undefined;
}

/** A document as an operator sent it. */
export function parseDocument<Kind extends ManagedKind>(
  kind: Kind,
  text: string,
): DocumentOf<Kind> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new CatalogError('invalid', `the ${NOUNS[kind]} is not valid JSON`, { cause });
  }
  return parseResource(kind, parsed);
}

/** Holds it to its schema; the message names every field at fault. */
export function parseResource<Kind extends ResourceKind>(
  kind: Kind,
  fields: unknown,
): DocumentOf<Kind> {
  const schema: z.ZodType<DocumentOf<Kind>> = EntrySchemas[kind];
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    ({ path, message }) => `${z.core.toDotPath(path) || 'document'}: ${message}`,
  );
  throw new CatalogError('invalid', `the ${NOUNS[kind]} is invalid: ${faults.join('; ')}`);
}

export function decideCreate<Kind extends ManagedKind>(
  kind: Kind,
  document: DocumentOf<Kind>,
): Decide<Kind> {
  return (catalog) => {
    if (catalog.get(kind, document.id) !== undefined) {
      throw new CatalogError('already_exists', `${NOUNS[kind]} ${document.id} exists already`);
    }
    requireReferences(catalog, kind, document);
    return { kind, id: document.id, action: 'create', document };
  };
}

export function decideUpdate<Kind extends ManagedKind>(
  reference: ResourceReference<Kind>,
  document: DocumentOf<Kind>,
): Decide<Kind> {
  const { kind, id } = reference;
  return (catalog) => {
    const present = getCurrent(catalog, reference);
    requireSameOwner(present, document);
    requireReferences(catalog, kind, document);
    // Applying a file twice changes nothing, and empties no cache.
    if (isDeepStrictEqual(present.document, document)) return 'nothing';
    return { kind, id, action: 'update', document };
  };
}

export function decideDelete<Kind extends ResourceKind>(
  reference: ResourceReference<Kind>,
): Decide<Kind> {
  const { kind, id } = reference;
  return (catalog) => {
    getCurrent(catalog, reference);
    requireUnused(catalog, kind, id);
    return { kind, id, action: 'delete', document: null };
  };
}

export function getResource<Kind extends ResourceKind>(
  catalog: CatalogView,
  kind: Kind,
  id: string,
): Stored<Kind> {
  const found = catalog.get(kind, id);
  if (found === undefined) throw new CatalogError('not_found', `there is no ${NOUNS[kind]} ${id}`);
  return found;
}

/** The resource that a change applies to; refused when somebody changed it since the caller looked. */
function getCurrent<Kind extends ResourceKind>(
  catalog: CatalogView,
  { kind, id, expectedSequence }: ResourceReference<Kind>,
): Stored<Kind> {
  const found = getResource(catalog, kind, id);
  if (expectedSequence !== undefined && found.sequence !== expectedSequence) {
    throw new CatalogError(
      'conflict',
      `${NOUNS[kind]} ${id} was changed meanwhile: look at it again`,
    );
  }
  return found;
}

/** A project that moved would take its keys to another organization's limits and bill. */
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
