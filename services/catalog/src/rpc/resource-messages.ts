import type { ResourceKind } from '@sluice/contracts';
import type { AuditRecord } from '../lookups/audit-log.ts';
import { CatalogError } from '../model/catalog-error.ts';
import type { Stored } from '../model/catalog-state.ts';
import { isEntryKind, isResourceKind, type EntryKind } from '../model/entry-kinds.ts';

/** A page ends when it reaches one of these limits. They keep it well below the size limit of a gRPC message. */
const PAGE_CHARACTERS = 2_000_000;
export const RESOURCES_PER_PAGE = 1_000;
export const AUDIT_RECORDS_PER_PAGE = 500;

/**
 * Returns undefined for a field that the request leaves out: in protobuf, it arrives as the zero value of its type.
 * https://protobuf.dev/programming-guides/proto3/#default
 */
export function given<Value extends string | number>(value: Value): Value | undefined {
  return value || undefined;
}

export function resourceKind(text: string): ResourceKind {
  if (!isResourceKind(text)) {
    throw new CatalogError('invalid', `there is no kind of resource named ${text}`);
  }
  return text;
}

export function entryKind(text: string): EntryKind {
  return isEntryKind(text) ? text : resourceKind(text);
}

/** The request repeats the document's id for proxies and logs, so both must be equal. */
export function requireSameId(requestId: string, documentId: string): void {
  if (requestId !== '' && requestId !== documentId) {
    throw new CatalogError(
      'invalid',
      `the document's id is ${documentId}, but the request names ${requestId}`,
    );
  }
}

/** The first messages that fit into one page together. At least one message is returned, if there is one. */
export function fitting<Message>(
  messages: readonly Message[],
  sizeOf: (message: Message) => number,
) {
  let size = 0;
  const end = messages.findIndex((message, index) => {
    size += sizeOf(message);
    return index > 0 && size > PAGE_CHARACTERS;
  });
  return end === -1 ? messages.slice() : messages.slice(0, end);
}

export function pageSize(requested: number, max: number): number {
  return requested === 0 ? max : Math.min(requested, max);
}

export function resourceMessage(kind: ResourceKind, { document, sequence }: Stored<ResourceKind>) {
  return { kind, id: document.id, document: JSON.stringify(document), sequence };
}

/** One page of the audit log, as far as it fits into a message. */
export function auditPage(
  epoch: number,
  records: readonly AuditRecord[],
  next: number | undefined,
) {
  const all = records.map((record) => auditMessage(epoch, record));
  const fits = fitting(all, ({ before = '', after = '' }) => before.length + after.length);
  const last = fits.at(-1)?.position.sequence;
  return { records: fits, nextBefore: (fits.length < all.length ? last : next) ?? 0 };
}

function auditMessage(
  epoch: number,
  { sequence, atMs, who, action, kind, id, before, after }: AuditRecord,
) {
  return {
    position: { epoch, sequence },
    atMs,
    who,
    action,
    kind,
    id,
    ...(before !== null && { before: JSON.stringify(before) }),
    ...(after !== null && { after: JSON.stringify(after) }),
  };
}
