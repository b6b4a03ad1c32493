import {
  ResourceSchemas,
  type Limits,
  type ResourceKind,
  type Scheduling,
} from '@sluice/contracts';
import { connectCatalogAdmin, type CatalogAdminClient } from '@sluice/rpc';
import type { SluiceStack } from './sluice-stack.ts';

export interface Tenant {
  readonly organization: string;
  readonly project: string;
  readonly account: string;
  readonly apiKey: string;
}

/** All four limits are set, so that each is checked. They are high enough that no request is refused. */
const AMPLE_LIMITS: Limits = {
  requests_per_minute: 10_000_000,
  requests_per_day: 10_000_000_000,
  tokens_per_minute: 10_000_000_000,
  tokens_per_day: 100_000_000_000,
};

/** Creates an organization with its own plan, one member, one project and one key. */
export async function createTenant(
  admin: CatalogAdminClient,
  name: string,
  limits: Limits = AMPLE_LIMITS,
  scheduling: Scheduling = {},
): Promise<Tenant> {
  const documents: [ResourceKind, object][] = [
    ['plans', ResourceSchemas.plans.parse({ id: name, limits, ...scheduling })],
    [
      'accounts',
      ResourceSchemas.accounts.parse({ id: name, access: 'granted', onboarding: 'complete' }),
    ],
    [
      'organizations',
      ResourceSchemas.organizations.parse({ id: name, plan: name, members: [{ account: name }] }),
    ],
    ['projects', ResourceSchemas.projects.parse({ id: name, organization: name })],
  ];
  for (const [kind, document] of documents) {
    await admin.createResource({ kind, id: name, document: JSON.stringify(document) });
  }
  const { key } = await admin.createApiKey({ project: name, name, creator: name });
  return { organization: name, project: name, account: name, apiKey: key };
}

export async function createTenantOf(
  stack: SluiceStack,
  name: string,
  scheduling: Scheduling = {},
): Promise<Tenant> {
  await using admin = connectCatalogAdmin({ address: stack.adminAddress, token: stack.adminToken });
  await admin.ready();
  return await createTenant(admin, name, AMPLE_LIMITS, scheduling);
}
