import type { CatalogAdminHandlers, QuotaHandlers } from '@sluice/rpc';

// A catalog with the organization acme, and a quota service that has had no requests. Both only answer reads.

const refuse = () => Promise.reject(new Error('not in this test'));
const DOCUMENTS: Readonly<Record<string, object>> = {
  organizations: { id: 'acme', plan: 'basic' },
  plans: { id: 'basic', limits: { requests_per_minute: 60 } },
};

export const catalogOfAcme: CatalogAdminHandlers = {
  createResource: refuse,
  updateResource: refuse,
  deleteResource: refuse,
  getResource: async ({ kind, id }) => ({ kind, id, document: JSON.stringify(DOCUMENTS[kind]) }),
  listResources: async () => ({ position: { epoch: 1, sequence: 1 } }),
  createApiKey: refuse,
  revokeApiKey: refuse,
  issuePlaygroundToken: refuse,
  createSignInLink: refuse,
  listAudit: refuse,
};

/** One limit, nothing of it used. */
const windows = {
  requests_per_minute: { limit: 60, remaining: 60, resetMs: 0 },
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
};

export const untouchedQuota: QuotaHandlers = {
  admit: refuse,
  peek: async () => ({ outcome: 'admitted', windows, decidedAtMs: 0 }),
};
