import type { Limits } from '@sluice/contracts';
import type { TestStack } from '@sluice/devkit';
import { connectCatalogAdmin } from '@sluice/rpc';

export interface Tenant {
  readonly organization: string;
  readonly project: string;
  readonly key: string;
}

/** Creates an organization for one test, so that no other requests count in it. */
export async function createTenant(
  stack: TestStack,
  organization: string,
  limits: Partial<Limits> = {},
): Promise<Tenant> {
  await using admin = connectCatalogAdmin({ address: stack.adminAddress, token: stack.adminToken });
  const project = `${organization}-app`;
  const members = [{ account: 'demo', active: true }];
  for (const [kind, document] of [
    ['organizations', { id: organization, plan: 'demo', members, limits }],
    ['projects', { id: project, organization }],
  ] as const) {
    await admin.createResource({ kind, id: document.id, document: JSON.stringify(document) });
  }
  const { key } = await admin.createApiKey({ project, name: 'test', creator: 'demo' });
  return { organization, project, key };
}
