import { randomBase62, type ApiKey } from '@sluice/contracts';
import type { CatalogConsoleHandlers, ConsoleReplyInput } from '@sluice/rpc';
import type { PlanChange } from '../changes/change-writer.ts';
import { mintRequestedApiKey, planRevoke } from '../changes/manage-api-keys.ts';
import { getResource, planDelete } from '../changes/manage-resources.ts';
import type { PlaygroundIssuer } from '../changes/playground-issuer.ts';
import type { ModelLists } from '../lookups/model-lists.ts';
import { accessRefusal } from '../model/access-refusal.ts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import type { DocumentOf } from '../model/entry-kinds.ts';
import { requireRight, type Membership } from './authorize.ts';
import type { CallBuilder, CallContext } from './call-builder.ts';
import { matches, newestFirstKey, pageOf, sortedBy } from './pages.ts';
import { parseDisplayName } from './session-calls.ts';

type Project = DocumentOf<'projects'>;

export interface KeyCallOptions {
  readonly calls: CallBuilder;
  readonly issuer: PlaygroundIssuer;
  readonly modelLists: ModelLists;
  readonly wallClock: () => number;
}

type KeyCall =
  | 'ListProjects'
  | 'CreateProject'
  | 'RenameProject'
  | 'DeleteProject'
  | 'ListApiKeys'
  | 'CreateApiKey'
  | 'RevokeApiKey'
  | 'IssuePlaygroundToken'
  | 'ListModels';

/** Calls about the projects of an organization and their credentials. */
export function keyCalls({
  calls,
  issuer,
  modelLists,
  wallClock,
}: KeyCallOptions): Pick<CatalogConsoleHandlers, KeyCall> {
  return {
    ListProjects: calls.ofMember('ListProjects', async (request, { catalog }) => {
      const activeKeys = countActiveKeys(catalog, wallClock());
      const found = projectsOf(catalog, request.organization).filter(({ id, name }) =>
        matches(request.search, id, name),
      );
      const { items, total, nextAfter } = pageOf(
        sortedBy(found, ({ id }) => id),
        request,
        ({ id }) => id,
      );
      const projects = items.map((project) => projectDetails(project, activeKeys));
      return { projects, total, nextAfter };
    }),
    CreateProject: calls.ofMember('CreateProject', async (request, { change }) => {
      const { organization } = request;
      const id = `prj_${randomBase62(20)}`;
      const name = parseDisplayName(request.name);
      const document: Project = { id, organization, name, managed_by: 'console' };
      await change<'projects'>(() => ({ kind: 'projects', id, action: 'create', document }));
      return projectDetails(document);
    }),
    RenameProject: calls.ofMember('RenameProject', async (request, { edit }) => {
      const { organization, project: id } = request;
      const name = parseDisplayName(request.name);
      const renamed = await edit('projects', id, (_present, _caller, catalog) => ({
        ...requireProject(catalog, organization, id),
        name,
      }));
      return projectDetails(renamed);
    }),
    DeleteProject: calls.ofMember('DeleteProject', async (request, context) => {
      const { organization, project: id } = request;
      requireProject(context.catalog, organization, id);
      for (const key of keysOfProject(context.catalog, id)) {
        await context.change<'api_keys'>((catalog) =>
          planDeleteInactive(catalog, key, wallClock()),
        );
      }
      return {
        position: await context.change<'projects'>((catalog) => {
          requireProject(catalog, organization, id);
          return planDelete({ kind: 'projects', id })(catalog);
        }),
      };
    }),
    ListApiKeys: calls.ofMember('ListApiKeys', async (request, { catalog }) =>
      listKeys(catalog, request, wallClock()),
    ),
    CreateApiKey: calls.ofMember('CreateApiKey', async (request, context) => {
      const { organization, project, name, expiresAtMs = null } = request;
      const order = { project, name, creator: context.caller.account.id, expiresAtMs };
      const { key, document, planChange } = mintRequestedApiKey(order, wallClock());
      await context.change<'api_keys'>((catalog) => {
        requireProject(catalog, organization, project);
        return planChange(catalog);
      });
      return { key, details: keyDetails(context.catalog, document) };
    }),
    RevokeApiKey: calls.ofMember('RevokeApiKey', async (request, context) => {
      const { organization, key: id } = request;
      const nowMs = wallClock();
      let revoked: ApiKey | undefined;
      await context.change<'api_keys'>((catalog, caller) => {
        const key = requireKey(catalog, organization, id);
        if (key.creator !== caller.account.id) requireRight(caller, 'revokeKeysOfOthers');
        revoked = { ...key, revoked_at_ms: key.revoked_at_ms ?? nowMs };
        return planRevoke(id, nowMs)(catalog);
      });
      if (revoked === undefined) throw new Error('the change was not planned');
      return keyDetails(context.catalog, revoked);
    }),
    IssuePlaygroundToken: calls.ofMember('IssuePlaygroundToken', async (request, context) => {
      const { organization, project } = request;
      requireProject(context.catalog, organization, project);
      requirePlayground(context);
      const { token, expiresAtMs } = await issuer.issue({
        project,
        account: context.caller.account.id,
      });
      return { token, expiresAtMs };
    }),
    ListModels: calls.ofMember('ListModels', async ({ organization }) => ({
      models: modelLists.listOf(organization).map(offeredModel),
    })),
  };
}

function listKeys(
  catalog: CatalogView,
  request: Parameters<CatalogConsoleHandlers['ListApiKeys']>[0],
  nowMs: number,
): ConsoleReplyInput<'ListApiKeys'> {
  const { organization, project, search, state } = request;
  if (!['', 'active', 'expired', 'revoked'].includes(state)) {
    throw new CatalogError('invalid', 'the state must be active, expired or revoked');
  }
  if (project !== '') requireProject(catalog, organization, project);
  const projects = new Set(
    project === '' ? projectsOf(catalog, organization).map(({ id }) => id) : [project],
  );
  const found: ApiKey[] = [];
  for (const { document: key } of catalog.all('api_keys')) {
    if (!projects.has(key.project)) continue;
    if (state !== '' && stateOf(key, nowMs) !== state) continue;
    if (matches(search, key.id, key.name, key.last_four)) found.push(key);
  }
  const { items, total, nextAfter } = pageOf(
    sortedBy(found, newestFirstKey),
    request,
    newestFirstKey,
  );
  return { keys: items.map((key) => keyDetails(catalog, key)), total, nextAfter };
}

/** Plans to delete a key that is revoked or expired. Throws for an active key, which must be revoked first. */
function planDeleteInactive(
  catalog: CatalogView,
  id: string,
  nowMs: number,
): ReturnType<PlanChange<'api_keys'>> {
  const key = catalog.get('api_keys', id)?.document;
  if (key === undefined) return 'nothing';
  if (stateOf(key, nowMs) === 'active') {
    throw new CatalogError(
      'forbidden_by_state',
      `the project has active API keys: revoke ${key.name || key.id} first`,
    );
  }
  return { kind: 'api_keys', id, action: 'delete', document: null };
}

function keysOfProject(catalog: CatalogView, project: string): string[] {
  const ids: string[] = [];
  for (const { document } of catalog.all('api_keys')) {
    if (document.project === project) ids.push(document.id);
  }
  return ids;
}

function requireProject(catalog: CatalogView, organization: string, id: string): Project {
  const project = catalog.get('projects', id)?.document;
  if (project?.organization === organization) return project;
  throw new CatalogError('not_found', `the organization has no project ${id}`);
}

function requireKey(catalog: CatalogView, organization: string, id: string): ApiKey {
  const key = catalog.get('api_keys', id)?.document;
  const project = key && catalog.get('projects', key.project)?.document;
  if (key !== undefined && project?.organization === organization) return key;
  throw new CatalogError('not_found', `the organization has no API key ${id}`);
}

/**
 * Throws unless the caller may use the playground. Each use of the token checks the same conditions; they are checked
 * here, too, so that the page can say at once what is missing.
 */
function requirePlayground({ catalog, caller }: CallContext<Membership>): void {
  const { account, organization } = caller;
  const { document: plan } = getResource(catalog, 'plans', organization.document.plan);
  const refusal = accessRefusal({
    account,
    organization: organization.document,
    plan,
    credentialKind: 'playground',
  });
  if (refusal === undefined) return;
  throw new CatalogError('forbidden', `the playground is refused: ${refusal}`, { reason: refusal });
}

function projectsOf(catalog: CatalogView, organization: string): Project[] {
  return Array.from(catalog.all('projects'), ({ document }) => document).filter(
    (project) => project.organization === organization,
  );
}

function countActiveKeys(catalog: CatalogView, nowMs: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { document: key } of catalog.all('api_keys')) {
    if (stateOf(key, nowMs) !== 'active') continue;
    counts.set(key.project, (counts.get(key.project) ?? 0) + 1);
  }
  return counts;
}

function stateOf({ revoked_at_ms, expires_at_ms }: ApiKey, nowMs: number) {
  if (revoked_at_ms !== null) return 'revoked';
  return expires_at_ms !== null && expires_at_ms <= nowMs ? 'expired' : 'active';
}

function projectDetails({ id, name }: Project, activeKeys?: ReadonlyMap<string, number>) {
  return { id, name: name ?? id, activeKeys: activeKeys?.get(id) ?? 0 };
}

function keyDetails(catalog: CatalogView, key: ApiKey): ConsoleReplyInput<'RevokeApiKey'> {
  const { expires_at_ms: expires, revoked_at_ms: revoked } = key;
  return {
    id: key.id,
    project: key.project,
    name: key.name,
    creator: key.creator,
    creatorName: catalog.get('accounts', key.creator)?.document.name ?? '',
    lastFour: key.last_four,
    createdAtMs: key.created_at_ms,
    ...(expires !== null && { expiresAtMs: expires }),
    ...(revoked !== null && { revokedAtMs: revoked }),
  };
}

function offeredModel(model: DocumentOf<'models'>) {
  const { shutdown_date, context_length, max_output_tokens, default_parameters, reasoning } = model;
  const defaultMaxTokens = default_parameters?.max_tokens;
  return {
    id: model.id,
    created: model.created,
    ownedBy: model.owned_by,
    ...(shutdown_date !== null && { shutdownDate: shutdown_date }),
    ...(context_length !== undefined && { contextLength: context_length }),
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(defaultMaxTokens !== undefined && { defaultMaxTokens }),
    ...(reasoning !== undefined && {
      reasoning: {
        supportedEfforts: reasoning.supported_efforts,
        mandatory: reasoning.mandatory,
        ...(reasoning.default_effort !== undefined && { defaultEffort: reasoning.default_effort }),
      },
    }),
  };
}
