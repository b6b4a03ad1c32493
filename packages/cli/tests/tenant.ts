import type { Limits } from '@sluice/contracts';
import { connectCatalogAdmin } from '@sluice/rpc';
import type { TestStack } from '@sluice/testkit';

export interface Tenant {
  readonly organization: string;
  readonly project: string;
  readonly key: string;
}

/** An organization of a test's own, so that nothing else counts in it. */
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
