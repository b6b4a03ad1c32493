import type { CatalogConsoleHandlers } from '@sluice/rpc';
import {
  getResource,
  parseDocument,
  planCreate,
  planDelete,
  planUpdate,
} from '../changes/manage-resources.ts';
import { readAuditLog } from '../lookups/audit-log.ts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import type { ResourceStore } from '../model/resource-store.ts';
import {
  AUDIT_RECORDS_PER_PAGE,
  auditPage,
  entryKind,
  fitting,
  given,
  pageSize,
  requireSameId,
  resourceMessage,
} from '../rpc/resource-messages.ts';
import type { CallBuilder } from './call-builder.ts';
import { matches, pageOf, sortedBy } from './pages.ts';

export interface PlatformCallOptions {
  readonly calls: CallBuilder;
  readonly store: ResourceStore;
  readonly known: CatalogView;
}

type PlatformCall =
  | 'ListOrganizations'
  | 'ListPlatformResources'
  | 'GetResource'
  | 'CreateResource'
  | 'UpdateResource'
  | 'DeleteResource'
  | 'ListAudit';

/** Accounts and API keys have calls of their own. */
const PLATFORM_KINDS = ['plans', 'models', 'organizations', 'projects'] as const;
type PlatformKind = (typeof PLATFORM_KINDS)[number];

/** Calls of operators about plans, models, organizations and projects, and about the audit log. */
export function platformCalls({
  calls,
  store,
  known,
}: PlatformCallOptions): Pick<CatalogConsoleHandlers, PlatformCall> {
  const stored = (kind: PlatformKind, id: string) =>
    resourceMessage(kind, getResource(known, kind, id));
  return {
    ListOrganizations: calls.ofOperator('ListOrganizations', async (request, { catalog }) => {
      const found = Array.from(catalog.all('organizations'), ({ document }) => document).filter(
        ({ id, name }) => matches(request.search, id, name),
      );
      const { items, total, nextAfter } = pageOf(
        sortedBy(found, ({ id }) => id),
        request,
        ({ id }) => id,
      );
      const projects = countProjects(catalog);
      const organizations = items.map(({ id, name, plan, billing, members }) => ({
        id,
        name: name ?? id,
        plan,
        billing,
        members: members.length,
        projects: projects.get(id) ?? 0,
      }));
      return { organizations, total, nextAfter };
    }),
    ListPlatformResources: calls.ofOperator('ListPlatformResources', async (request, context) => {
      const kind = platformKind(request.kind);
      const { organization } = request;
      if (organization !== '' && kind !== 'projects') {
        throw new CatalogError(
          'invalid',
          `only projects can be listed by organization, not ${kind}`,
        );
      }
      const found = Array.from(context.catalog.all(kind)).filter(({ document }) => {
        const isInOrganization =
          organization === '' ||
          ('organization' in document && document.organization === organization);
        const name = 'name' in document ? document.name : undefined;
        return isInOrganization && matches(request.search, document.id, name);
      });
      const { items, total, nextAfter } = pageOf(
        sortedBy(found, ({ document }) => document.id),
        request,
        ({ document }) => document.id,
      );
      const all = items.map((entry) => resourceMessage(kind, entry));
      const resources = fitting(all, ({ document }) => document.length);
      const isCut = resources.length < all.length;
      return { resources, total, nextAfter: isCut ? (resources.at(-1)?.id ?? '') : nextAfter };
    }),
    GetResource: calls.ofOperator('GetResource', async ({ kind: kindName, id }, { catalog }) => {
      const kind = platformKind(kindName);
      return resourceMessage(kind, getResource(catalog, kind, id));
    }),
    CreateResource: calls.ofOperator('CreateResource', async (request, { change }) => {
      const kind = platformKind(request.kind);
      const document = parseDocument(kind, request.document);
      requireSameId(request.id, document.id);
      await change(planCreate(kind, document));
      return stored(kind, document.id);
    }),
    UpdateResource: calls.ofOperator('UpdateResource', async (request, { change }) => {
      const kind = platformKind(request.kind);
      const document = parseDocument(kind, request.document);
      requireSameId(request.id, document.id);
      const reference = { kind, id: document.id, expectedSequence: given(request.sequence) };
      await change(planUpdate(reference, document));
      return stored(kind, document.id);
    }),
    DeleteResource: calls.ofOperator('DeleteResource', async (request, { change }) => {
      const { id, sequence } = request;
      const kind = platformKind(request.kind);
      const position = await change(planDelete({ kind, id, expectedSequence: given(sequence) }));
      return { position };
    }),
    ListAudit: calls.ofOperator('ListAudit', async ({ kind, id, before, limit }, { catalog }) => {
      const { position } = catalog;
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

function platformKind(text: string): PlatformKind {
  const kind = PLATFORM_KINDS.find((name) => name === text);
  if (kind !== undefined) return kind;
  throw new CatalogError('invalid', `the kind must be one of ${PLATFORM_KINDS.join(', ')}`);
}

function countProjects(catalog: CatalogView): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { document } of catalog.all('projects')) {
    counts.set(document.organization, (counts.get(document.organization) ?? 0) + 1);
  }
  return counts;
}
