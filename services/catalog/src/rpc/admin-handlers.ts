import { isBefore, type ResourceKind, type Revision } from '@sluice/contracts';
import type { CatalogAdminHandlers, ResourceInput } from '@sluice/rpc';
import type { Logger } from '@sluice/service';
import type { ChangeWriter } from '../changes/change-writer.ts';
import { planRevoke, mintRequestedApiKey } from '../changes/manage-api-keys.ts';
import {
  planCreate,
  planDelete,
  planUpdate,
  getResource,
  parseDocument,
  type ManagedKind,
} from '../changes/manage-resources.ts';
import type { PlaygroundIssuer } from '../changes/playground-issuer.ts';
import { deleteExpiredTokens, mintSignInLink } from '../changes/sign-in-links.ts';
import { readAuditLog } from '../lookups/audit-log.ts';
import { listResources } from '../lookups/list-resources.ts';
import type { ReadinessGate } from '../lookups/readiness-gate.ts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import type { DocumentOf } from '../model/entry-kinds.ts';
import type { ResourceStore } from '../model/resource-store.ts';
import {
  AUDIT_RECORDS_PER_PAGE,
  RESOURCES_PER_PAGE,
  auditPage,
  entryKind,
  fitting,
  given,
  pageSize,
  requireSameId,
  resourceKind,
  resourceMessage,
} from './resource-messages.ts';
import { mapCatalogErrors } from './rpc-errors.ts';

export interface AdminHandlerOptions {
  readonly gate: ReadinessGate;
  readonly writer: ChangeWriter;
  readonly issuer: PlaygroundIssuer;
  readonly store: ResourceStore;
  /** The state of this replica, without the checks of the gate. */
  readonly catalog: CatalogView;
  readonly wallClock: () => number;
  readonly logger: Logger;
}

/** The calls of operators. */
export function adminHandlers({
  gate,
  writer,
  issuer,
  store,
  catalog: known,
  wallClock,
  logger,
}: AdminHandlerOptions): CatalogAdminHandlers {
  /**
   * The reply to a stored change. If this replica has not received it yet, the reply has the document of the request.
   */
  const changed = <Kind extends ResourceKind>(
    kind: Kind,
    document: DocumentOf<Kind>,
    position: Revision,
  ): ResourceInput => {
    const received = isBefore(known.position, position) ? undefined : known.get(kind, document.id);
    return resourceMessage(kind, received ?? { document, sequence: position.sequence });
  };

  return {
    createResource: mapCatalogErrors(async (request, { admin }) => {
      const kind = managedKind(request.kind);
      const document = parseDocument(kind, request.document);
      requireSameId(request.id, document.id);
      return changed(kind, document, await writer.change(admin, planCreate(kind, document)));
    }),
    updateResource: mapCatalogErrors(async (request, { admin }) => {
      const kind = managedKind(request.kind);
      const document = parseDocument(kind, request.document);
      requireSameId(request.id, document.id);
      const reference = { kind, id: document.id, expectedSequence: given(request.sequence) };
      const position = await writer.change(admin, planUpdate(reference, document));
      return changed(kind, document, position);
    }),
    deleteResource: mapCatalogErrors(async ({ kind, id, sequence }, { admin }) => {
      const reference = { kind: resourceKind(kind), id, expectedSequence: given(sequence) };
      return { position: await writer.change(admin, planDelete(reference)) };
    }),
    getResource: mapCatalogErrors(async ({ kind: kindName, id }) => {
      const kind = resourceKind(kindName);
      return resourceMessage(kind, getResource(await gate.openLatest(), kind, id));
    }),
    listResources: mapCatalogErrors(async ({ kind: kindName, after, limit, project }) => {
      const kind = resourceKind(kindName);
      if (project !== '' && kind !== 'api_keys') {
        throw new CatalogError('invalid', `only api_keys can be listed by project, not ${kind}`);
      }
      const catalog: CatalogView = await gate.openLatest();
      const { page, next } = listResources(catalog, kind, {
        after: given(after),
        limit: pageSize(limit, RESOURCES_PER_PAGE),
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
    createApiKey: mapCatalogErrors(async ({ project, name, creator, expiresAtMs }, { admin }) => {
      const order = { project, name, creator, expiresAtMs: expiresAtMs ?? null };
      const { id, key, planChange } = mintRequestedApiKey(order, wallClock());
      await writer.change(admin, planChange);
      return { id, key };
    }),
    revokeApiKey: mapCatalogErrors(async ({ id }, { admin }) => {
      const atMs = wallClock();
      const position = await writer.change(admin, planRevoke(id, atMs));
      const { document } = getResource(known, 'api_keys', id);
      return changed('api_keys', { ...document, revoked_at_ms: atMs }, position);
    }),
    issuePlaygroundToken: mapCatalogErrors(async ({ project, account }, { admin }) => {
      await gate.openLatest();
      const { id, token, expiresAtMs } = await issuer.issue({ project, account });
      // Nothing is stored, so the audit log has no record of it.
      logger.info({ by: admin, id, project, account }, 'issued a playground token');
      return { token, expiresAtMs };
    }),
    createSignInLink: mapCatalogErrors(async ({ account }, { admin }) => {
      const { token, expiresAtMs, planChange } = mintSignInLink(account, wallClock());
      await writer.change(admin, planChange);
      await deleteExpiredTokens(known, writer, wallClock());
      return { token, expiresAtMs };
    }),
    listAudit: mapCatalogErrors(async ({ kind, id, before, limit }) => {
      const { position } = await gate.openLatest();
      const { records, next } = await readAuditLog(store, position, {
        kind: kind === '' ? undefined : entryKind(kind),
        id: given(id),
        before: given(before),
        limit: pageSize(limit, AUDIT_RECORDS_PER_PAGE),
      });
      return auditPage(position.epoch, records, next);
    }),
  };
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
