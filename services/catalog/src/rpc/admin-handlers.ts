import { isBefore, type ResourceKind, type Revision } from '@sluice/contracts';
import type { CatalogAdminHandlers, ResourceInput } from '@sluice/rpc';
import type { Logger } from '@sluice/telemetry';
import type { AnswerGate } from '../domain/answer-gate.ts';
import { readAuditLog, type AuditRecord } from '../domain/audit-log.ts';
import { CatalogError } from '../domain/catalog-error.ts';
import type { CatalogView, Stored } from '../domain/catalog-state.ts';
import type { ChangeWriter } from '../domain/change-writer.ts';
import {
  isEntryKind,
  isResourceKind,
  type DocumentOf,
  type EntryKind,
} from '../domain/entry-kinds.ts';
import type { PlaygroundIssuer } from '../domain/issue-playground-token.ts';
import { listResources } from '../domain/list-resources.ts';
import { decideRevoke, mintOrderedApiKey } from '../domain/manage-api-keys.ts';
import {
  decideCreate,
  decideDelete,
  decideUpdate,
  getResource,
  parseDocument,
  type ManagedKind,
} from '../domain/manage-resources.ts';
import type { ResourceStore } from '../domain/resource-store.ts';
import { answering } from './rpc-errors.ts';

export interface AdminHandlerOptions {
  readonly gate: AnswerGate;
  readonly writer: ChangeWriter;
  readonly issuer: PlaygroundIssuer;
  readonly store: ResourceStore;
  /** What this replica knows, fit to be asked by others or not. */
  readonly catalog: CatalogView;
  readonly wallClock: () => number;
  readonly logger: Logger;
}

/** Whichever comes first ends a page; both stay well within one message. */
const PAGE_CHARACTERS = 2_000_000;
const RESOURCES_A_PAGE = 1_000;
const AUDIT_RECORDS_A_PAGE = 500;

/** What operators ask and change. */
export function adminHandlers({
  gate,
  writer,
  issuer,
  store,
  catalog: known,
  wallClock,
  logger,
}: AdminHandlerOptions): CatalogAdminHandlers {
  /** A change stands, whether this replica has heard of it yet or not. */
  const changed = <Kind extends ResourceKind>(
    kind: Kind,
    document: DocumentOf<Kind>,
    position: Revision,
  ): ResourceInput => {
    const heard = isBefore(known.position, position) ? undefined : known.get(kind, document.id);
    return resourceMessage(kind, heard ?? { document, sequence: position.sequence });
  };

  return {
    createResource: answering(async (request, { admin }) => {
      const kind = managedKind(request.kind);
      const document = parseDocument(kind, request.document);
      requireSameId(request.id, document.id);
      return changed(kind, document, await writer.change(admin, decideCreate(kind, document)));
    }),
    updateResource: answering(async (request, { admin }) => {
      const kind = managedKind(request.kind);
      const document = parseDocument(kind, request.document);
      requireSameId(request.id, document.id);
      const reference = { kind, id: document.id, expectedSequence: given(request.sequence) };
      const position = await writer.change(admin, decideUpdate(reference, document));
      return changed(kind, document, position);
    }),
    deleteResource: answering(async ({ kind, id, sequence }, { admin }) => {
      const reference = { kind: resourceKind(kind), id, expectedSequence: given(sequence) };
      return { position: await writer.change(admin, decideDelete(reference)) };
    }),
    getResource: answering(async ({ kind: kindName, id }) => {
      const kind = resourceKind(kindName);
      return resourceMessage(kind, getResource(await gate.openLatest(), kind, id));
    }),
    listResources: answering(async ({ kind: kindName, after, limit, project }) => {
      const kind = resourceKind(kindName);
      if (project !== '' && kind !== 'api_keys') {
        throw new CatalogError('invalid', `only api_keys can be listed by project, not ${kind}`);
      }
      const catalog: CatalogView = await gate.openLatest();
      const { page, next } = listResources(catalog, kind, {
        after: given(after),
        limit: pageSize(limit, RESOURCES_A_PAGE),
        project: given(project),
      });
      const all = page.map((stored) => resourceMessage(kind, stored));
      const resources = fitting(all, ({ document }) => document.length);
      return {
        resources,
        position: catalog.position,
        nextAfter: (resources.length < all.length ? resources.at(-1)?.id : next) ?? '',
      };
    }),
    createApiKey: answering(async ({ project, name, creator, expiresAtMs }, { admin }) => {
      const order = { project, name, creator, expiresAtMs: expiresAtMs ?? null };
      const { id, key, decide } = mintOrderedApiKey(order, wallClock());
      await writer.change(admin, decide);
      return { id, key };
    }),
    revokeApiKey: answering(async ({ id }, { admin }) => {
      const atMs = wallClock();
      const position = await writer.change(admin, decideRevoke(id, atMs));
      const { document } = getResource(known, 'api_keys', id);
      return changed('api_keys', { ...document, revoked_at_ms: atMs }, position);
    }),
    issuePlaygroundToken: answering(async ({ project, account }, { admin }) => {
      await gate.openLatest();
      const { id, token, expiresAtMs } = await issuer.issue({ project, account });
      // It changes nothing in the store, so the audit log has no word of it.
      logger.info({ by: admin, id, project, account }, 'issued a playground token');
      return { token, expiresAtMs };
    }),
    listAudit: answering(async ({ kind, id, before, limit }) => {
      const { position } = await gate.openLatest();
      const { records, next } = await readAuditLog(store, position, {
        kind: kind === '' ? undefined : entryKind(kind),
        id: given(id),
        before: given(before),
        limit: pageSize(limit, AUDIT_RECORDS_A_PAGE),
      });
      const all = records.map((record) => auditMessage(position.epoch, record));
      const fits = fitting(all, ({ before = '', after = '' }) => before.length + after.length);
      const last = fits.at(-1)?.position.sequence;
      return { records: fits, nextBefore: (fits.length < all.length ? last : next) ?? 0 };
    }),
  };
}

/** What a caller leaves out arrives as its type's zero. */
function given<Value extends string | number>(value: Value): Value | undefined {
  return value || undefined;
}

function resourceKind(text: string): ResourceKind {
  if (!isResourceKind(text)) {
    throw new CatalogError('invalid', `there is no kind of resource named ${text}`);
  }
  return text;
}

function entryKind(text: string): EntryKind {
  return isEntryKind(text) ? text : resourceKind(text);
}

function managedKind(text: string): ManagedKind {
  const kind = resourceKind(text);
  if (kind === 'api_keys') {
    throw new CatalogError(
      'invalid',
      'API keys are created and revoked by calls of their own, and never changed',
    );
  }
  return kind;
}

/** The id beside the document is there to be read by proxies and logs: it must say the same. */
function requireSameId(beside: string, inside: string): void {
  if (beside !== '' && beside !== inside) {
    throw new CatalogError(
      'invalid',
      `the document's id is ${inside}, but the request names ${beside}`,
    );
  }
}

/** The first of these that go into one message together; the first one always does. */
function fitting<Message>(messages: readonly Message[], sizeOf: (message: Message) => number) {
  let size = 0;
  const end = messages.findIndex((message, index) => {
    size += sizeOf(message);
    return index > 0 && size > PAGE_CHARACTERS;
  });
  return end === -1 ? messages.slice() : messages.slice(0, end);
}

function pageSize(asked: number, most: number): number {
  return asked === 0 ? most : Math.min(asked, most);
}

function resourceMessage(kind: ResourceKind, { document, sequence }: Stored<ResourceKind>) {
  return { kind, id: document.id, document: JSON.stringify(document), sequence };
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
