import { useLeakCheck, waitUntil } from '@sluice/devkit';
import {
  RPC_ERROR_CODES,
  RpcError,
  connectCatalog,
  connectCatalogAdmin,
  serveCatalog,
  serveCatalogAdmin,
  type CatalogAdminHandlers,
  type CatalogHandlers,
} from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { describe, expect, it, vi } from 'vitest';

useLeakCheck();

const logger = createLogger({ service: 'test', level: 'silent' });
const address = { host: '127.0.0.1', port: 0 };

function handlers(overrides: Partial<CatalogHandlers> = {}): CatalogHandlers {
  return {
    resolveCredential: async () => ({ position: { epoch: 1, sequence: 2 } }),
    listModels: async ({ organization }) => ({ models: [{ id: organization, created: 5 }] }),
    ...overrides,
  };
}

function adminHandlers(overrides: Partial<CatalogAdminHandlers>): CatalogAdminHandlers {
  const refuse = () => Promise.reject(new RpcError('unimplemented', 'not in this test'));
  return {
    createResource: refuse,
    updateResource: refuse,
    deleteResource: refuse,
    getResource: refuse,
    listResources: refuse,
    createApiKey: refuse,
    revokeApiKey: refuse,
    issuePlaygroundToken: refuse,
    createSignInLink: refuse,
    listAudit: refuse,
    ...overrides,
  };
}

describe('a call of the catalog', () => {
  it('carries requests and replies in camel case with numbers', async () => {
    await using server = await serveCatalog({ ...address, handlers: handlers(), logger });
    await using client = connectCatalog({ addresses: [server.address], deadlineMs: 1_000, logger });
    await client.ready();
    const { models } = await client.listModels({ organization: 'acme' });
    expect(models[0]).toMatchObject({ id: 'acme', created: 5, ownedBy: '' });
    const reply = await client.resolveCredential({ apiKeySha256: Buffer.alloc(32) });
    expect(reply).toStrictEqual({ principal: null, position: { epoch: 1, sequence: 2 } });
  });

  it.each(RPC_ERROR_CODES.filter((code) => code !== 'unavailable' && code !== 'deadline_exceeded'))(
    'fails as %s when the handler does',
    async (code) => {
      const failing = handlers({
        listModels: () => Promise.reject(new RpcError(code, 'said the handler')),
      });
      await using server = await serveCatalog({ ...address, handlers: failing, logger });
      await using client = connectCatalog({
        addresses: [server.address],
        deadlineMs: 1_000,
        logger,
      });
      await expect(client.listModels({ organization: 'acme' })).rejects.toMatchObject({
        name: 'RpcError',
        code,
        message: 'said the handler',
      });
    },
  );

  it.each([
    ['halves of characters', 'there is no a\ud800b', 'there is no a\ufffdb'],
    ['more than a header holds', 'ж'.repeat(100_000), `${'ж'.repeat(4_000)} …`],
  ])('fails with a message for %s, and the next one is answered', async (_what, said, heard) => {
    const refusing = handlers({
      resolveCredential: () => Promise.reject(new RpcError('invalid_argument', said)),
    });
    await using server = await serveCatalog({ ...address, handlers: refusing, logger });
    await using client = connectCatalog({ addresses: [server.address], deadlineMs: 1_000, logger });
    await expect(client.resolveCredential({})).rejects.toMatchObject({
      code: 'invalid_argument',
      message: heard,
    });
    expect((await client.listModels({ organization: 'acme' })).models).toHaveLength(1);
  });

  it('shows no internals if a handler fails, and logs the id of the request', async () => {
    const broken = handlers({
      listModels: () => {
        throw new TypeError('secret');
      },
    });
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    await using server = await serveCatalog({
      ...address,
      handlers: broken,
      logger: createLogger({ service: 'catalog', level: 'error', destination }),
    });
    await using client = connectCatalog({ addresses: [server.address], deadlineMs: 1_000, logger });
    const failure = client.listModels({ organization: 'acme' }, { requestId: 'request-1' });
    await expect(failure).rejects.toMatchObject({ code: 'internal' });
    await expect(failure).rejects.not.toThrow(/secret/);
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { request: 'request-1', call: 'catalog.ListModels', msg: 'call failed' },
    ]);
  });

  it('ends at its deadline', async () => {
    const silent = handlers({ listModels: () => new Promise(() => undefined) });
    const server = await serveCatalog({ ...address, handlers: silent, logger });
    await using client = connectCatalog({ addresses: [server.address], deadlineMs: 200, logger });
    await expect(client.listModels({ organization: 'acme' })).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    await server[Symbol.asyncDispose]();
  });

  it('asks another replica when one cannot be reached or does not answer', async () => {
    const silent = handlers({ listModels: () => new Promise(() => undefined) });
    await using mute = await serveCatalog({ ...address, handlers: silent, logger });
    await using server = await serveCatalog({ ...address, handlers: handlers(), logger });
    const addresses = ['127.0.0.1:1', mute.address, server.address];
    // At worst, a quarter of the deadline is left for the answering replica. That is enough on a busy machine.
    await using client = connectCatalog({ addresses, deadlineMs: 4_000, logger });
    await waitUntil(() => client.state()[server.address] === 'ready', { what: 'a connection' });
    for (let round = 0; round < 4; round += 1) {
      const { models } = await client.listModels({ organization: 'acme' });
      expect(models).toHaveLength(1);
    }
  });

  it('ends at its deadline although the clock is put back between two replicas', async () => {
    const putBack = () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
      return new Promise<never>(() => undefined);
    };
    const silent = handlers({ listModels: putBack });
    await using one = await serveCatalog({ ...address, handlers: silent, logger });
    await using other = await serveCatalog({ ...address, handlers: silent, logger });
    const addresses = [one.address, other.address];
    await using client = connectCatalog({ addresses, deadlineMs: 400, logger });
    await client.ready();
    try {
      await expect(client.listModels({ organization: 'acme' })).rejects.toMatchObject({
        code: 'deadline_exceeded',
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('reaches a restarted server within a second', async () => {
    const server = await serveCatalog({ ...address, handlers: handlers(), logger });
    await using client = connectCatalog({ addresses: [server.address], deadlineMs: 1_000, logger });
    await client.ready();
    await server[Symbol.asyncDispose]();
    await expect(client.listModels({ organization: 'a' })).rejects.toMatchObject({
      code: 'unavailable',
    });
    const port = Number(server.address.split(':').at(-1));
    await using _again = await serveCatalog({ ...address, port, handlers: handlers(), logger });
    await waitUntil(async () => (await client.listModels({ organization: 'a' })).models.length, {
      what: 'the restarted server to answer',
      timeoutMs: 1_000,
    });
  });
});

describe('a call of the admin interface', () => {
  it('is refused, whatever its token, from an address that has tried twenty wrong ones', async () => {
    let now = 0;
    await using server = await serveCatalogAdmin({
      ...address,
      logger,
      clock: () => now,
      authenticate: (token) => (token === 'right' ? 'alice' : undefined),
      handlers: adminHandlers({
        getResource: async ({ id }, { admin }) => ({ id, document: admin }),
      }),
    });
    await using client = connectCatalogAdmin({ address: server.address, token: 'right' });
    await using stranger = connectCatalogAdmin({ address: server.address, token: 'wrong' });
    const plan = { kind: 'plans', id: 'free' };
    const codeOf = async (call: Promise<unknown>) =>
      call.then(
        () => 'ok',
        (error: unknown) => (error instanceof RpcError ? error.code : 'unknown'),
      );
    const began = performance.now();
    const codes = await Promise.all(
      Array.from({ length: 25 }, async () => codeOf(stranger.getResource(plan))),
    );
    expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(20);
    expect(codes.filter((code) => code === 'resource_exhausted')).toHaveLength(5);
    // The answers to the last calls are delayed by two seconds.
    expect(performance.now() - began).toBeGreaterThan(1_900);
    await expect(client.getResource(plan)).rejects.toThrow('for another 60 s');
    now += 60_000;
    expect(await codeOf(client.getResource(plan))).toBe('ok');
  });

  it('names the admin by its token, and refuses every other, which leaves a trace', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    await using server = await serveCatalogAdmin({
      ...address,
      logger: createLogger({ service: 'catalog', level: 'info', destination }),
      authenticate: (token) => (token === 'right' ? 'alice' : undefined),
      handlers: adminHandlers({
        getResource: async ({ id }, { admin }) => ({ id, document: admin }),
      }),
    });
    await using client = connectCatalogAdmin({ address: server.address, token: 'right' });
    expect(await client.getResource({ kind: 'plans', id: 'free' })).toMatchObject({
      id: 'free',
      document: 'alice',
    });
    for (const token of ['wrong', '']) {
      await using stranger = connectCatalogAdmin({ address: server.address, token });
      await expect(stranger.getResource({ kind: 'plans', id: 'free' })).rejects.toMatchObject({
        code: 'unauthenticated',
      });
    }
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { level: 'warn', call: 'catalog.GetResource', refused: 1 },
    ]);
    expect(lines.join()).not.toContain('wrong');
  });
});
