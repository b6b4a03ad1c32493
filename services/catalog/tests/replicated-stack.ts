import { useStack, type StackOptions, type TestStack } from '@sluice/devkit';
import { connectCatalogAdmin, type CatalogAdminClient } from '@sluice/rpc';
import { afterAll, beforeAll } from 'vitest';

export interface ReplicatedStack {
  readonly stack: TestStack;
  /** One for each catalog. */
  readonly admins: readonly [CatalogAdminClient, CatalogAdminClient];
  /** One for each gateway. */
  readonly apiRoots: readonly string[];
}

/** Three gateways and two catalogs, for a whole test file. */
export function useReplicatedStack(
  options: Pick<StackOptions, 'environment'> = {},
): () => ReplicatedStack {
  const stack = useStack({ ...options, gateways: 3, catalogs: 2 });
  let replicated: ReplicatedStack | undefined;
  beforeAll(async () => {
    const { adminAddresses, adminToken: token } = stack();
    const [first = '', second = ''] = adminAddresses;
    const services = await stack().services();
    const gateways = services.filter(({ name }) => name.startsWith('gateway'));
    replicated = {
      stack: stack(),
      admins: [
        connectCatalogAdmin({ address: first, token }),
        connectCatalogAdmin({ address: second, token }),
      ],
      apiRoots: gateways.map(({ url }) => `${url}/compat/v1`),
    };
  });
  afterAll(async () => {
    await Promise.all((replicated?.admins ?? []).map((admin) => admin[Symbol.asyncDispose]()));
  });
  return () => {
    if (replicated === undefined) {
      throw new Error('the stack starts in a hook: use it in a hook or a test');
    }
    return replicated;
  };
}
