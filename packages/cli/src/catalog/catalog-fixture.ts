import type { ResourceKind } from '@sluice/contracts';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';

type Held = { readonly [Kind in ResourceKind]?: readonly { readonly id: string }[] };

const PAGE = 2;

/** A catalog with the given resources and a page size of two. Every call that a test does not define is rejected. */
export function catalogHolding(
  held: Held,
  answers: Partial<CatalogAdminClient> = {},
): CatalogAdminClient {
  const entries = (kind: string) =>
    Object.entries(held)
      .filter(([name]) => name === kind)
      .flatMap(([, documents]) => documents)
      .map((document, index) => ({
        kind,
        id: document.id,
        document: JSON.stringify(document),
        sequence: index + 1,
      }));
  const refuse = () => Promise.reject(new Error('not in this test'));
  return {
    createResource: refuse,
    updateResource: refuse,
    deleteResource: refuse,
    getResource: async ({ kind = '', id = '' }) => {
      const found = entries(kind).find((entry) => entry.id === id);
      if (found === undefined) throw new RpcError('not_found', `there is no ${id}`);
      return Promise.resolve(found);
    },
    listResources: ({ kind = '', after = '' }) => {
      const all = entries(kind);
      const start = all.findIndex(({ id }) => id === after) + 1;
      const resources = all.slice(start, start + PAGE);
      const isLast = start + PAGE >= all.length;
      const nextAfter = isLast ? '' : (resources.at(-1)?.id ?? '');
      return Promise.resolve({ resources, position: { epoch: 1, sequence: 9 }, nextAfter });
    },
    createApiKey: refuse,
    revokeApiKey: refuse,
    issuePlaygroundToken: refuse,
    createSignInLink: refuse,
    listAudit: refuse,
    ready: refuse,
    [Symbol.asyncDispose]: refuse,
    ...answers,
  };
}
