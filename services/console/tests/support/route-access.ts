import { ACCOUNT_ACTIONS } from '../../src/api/platform.ts';
import type { RouteName } from '../../src/api/routes.ts';

/** The least that a request needs. `own state` is served to accounts that are waiting or restricted, too. */
export type Need =
  | 'open'
  | 'own state'
  | 'own change'
  | 'viewer'
  | 'member'
  | 'admin'
  | 'owner'
  | 'operator';

export interface AccessCase {
  readonly needs: Need;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
}

const document = { id: 'any' };
const retention = { retention: 'standard' };
const budget = { budget: { monthly: '5', thresholds: [], hard: true } };

/**
 * What each route of the API needs, written down a second time beside the table of the catalog. A new route needs an
 * entry, or this file does not compile. The words in capitals stand for the organization that is asked about, one of
 * its keys, its webhook, and the account that asks.
 */
export const ROUTE_ACCESS: { readonly [Name in RouteName]: readonly AccessCase[] } = {
  getSession: [{ needs: 'open' }],
  describeInvitation: [{ needs: 'open', body: { token: 'unknown' } }],
  completeOnboarding: [
    { needs: 'own change', body: { accept_terms: true, organization_name: 'Name' } },
  ],
  acceptInvitation: [{ needs: 'own change', body: { token: 'unknown', accept_terms: true } }],
  exportOwnData: [{ needs: 'own state' }],

  getOrganization: [{ needs: 'viewer' }],
  changeOrganization: [
    { needs: 'admin', body: { name: 'Name' } },
    { needs: 'owner', body: retention },
    { needs: 'owner', body: budget },
  ],
  createWebhook: [{ needs: 'owner', body: { url: 'https://hooks.example' } }],
  deleteWebhook: [{ needs: 'owner', params: { webhook: 'WEBHOOK' } }],
  listMembers: [{ needs: 'admin', query: '?search=other' }],
  changeMember: [
    { needs: 'admin', params: { account: 'other' }, body: { role: 'viewer' } },
    { needs: 'owner', params: { account: 'other' }, body: { role: 'owner' } },
    { needs: 'owner', params: { account: 'second-owner' }, body: { role: 'owner' } },
  ],
  removeMember: [
    { needs: 'owner', params: { account: 'second-owner' } },
    { needs: 'admin', params: { account: 'another' } },
  ],
  listInvitations: [{ needs: 'admin' }],
  createInvitation: [
    { needs: 'admin', body: { role: 'member' } },
    { needs: 'owner', body: { role: 'owner' } },
  ],
  revokeInvitation: [{ needs: 'admin', params: { invitation: 'unknown' } }],
  listProjects: [{ needs: 'viewer' }],
  createProject: [{ needs: 'admin', body: { name: 'Name' } }],
  renameProject: [
    { needs: 'admin', params: { project: 'ORGANIZATION-project' }, body: { name: 'Name' } },
  ],
  deleteProject: [{ needs: 'admin', params: { project: 'ORGANIZATION-empty' } }],
  listKeys: [{ needs: 'viewer' }],
  createKey: [{ needs: 'member', body: { name: 'Name', project: 'ORGANIZATION-project' } }],
  revokeKey: [{ needs: 'admin', params: { key: 'KEY' } }],
  issuePlaygroundCredential: [{ needs: 'member', body: { project: 'ORGANIZATION-project' } }],
  listModels: [{ needs: 'viewer' }],
  getLimits: [{ needs: 'viewer' }],
  getUsage: [{ needs: 'viewer', query: '?since=0&until=1' }],
  getUsageFile: [{ needs: 'viewer', query: '?since=0&until=1' }],
  listRequests: [{ needs: 'viewer' }],
  getRequest: [{ needs: 'viewer', params: { request: 'unknown' } }],

  getFleet: [{ needs: 'operator' }],
  drainWorker: [{ needs: 'operator', params: { worker: 'default.unknown' } }],
  undrainWorker: [{ needs: 'operator', params: { worker: 'default.unknown' } }],
  listAccounts: [{ needs: 'operator' }],
  exportPersonalData: [{ needs: 'operator', params: { account: 'target' } }],
  changeAccount: ACCOUNT_ACTIONS.map((action) => ({
    needs: 'operator',
    params: { account: 'target', action },
  })),
  listAudit: [{ needs: 'operator' }],
  listResources: [{ needs: 'operator', params: { kind: 'plans' } }],
  getResource: [{ needs: 'operator', params: { kind: 'plans', id: 'team' } }],
  createResource: [{ needs: 'operator', params: { kind: 'plans' }, body: { document } }],
  replaceResource: [
    { needs: 'operator', params: { kind: 'plans', id: 'any' }, body: { document, sequence: 1 } },
  ],
  deleteResource: [
    { needs: 'operator', params: { kind: 'plans', id: 'any' }, query: '?sequence=1' },
  ],

  // Last, because what they end is needed by the others.
  deleteOrganization: [{ needs: 'owner' }],
  signOut: [{ needs: 'own state' }],
  eraseOwnAccount: [{ needs: 'own change', body: { account: 'ACTOR' } }],
};
