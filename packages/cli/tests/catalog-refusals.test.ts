import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useLeakCheck } from '@sluice/devkit';
import {
  RpcError,
  serveCatalog,
  serveCatalogAdmin,
  type CatalogAdminHandlers,
  type RpcServer,
} from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { describe, expect, test } from 'vitest';
import { runningStack } from '../src/stack/running-stack-fixture.ts';
import { writeRunningStack } from '../src/stack/running-stack.ts';
import { stateFolderAt } from '../src/stack/state-folder.ts';
import { sluice } from './run-sluice.ts';

useLeakCheck();

const options = {
  host: '127.0.0.1',
  port: 0,
  logger: createLogger({ service: 'test', level: 'silent' }),
};

/** A catalog that fails every call with this error, except for calls with a given handler. */
function catalogThatSays(
  said: RpcError,
  answers: Partial<CatalogAdminHandlers> = {},
): Promise<RpcServer> {
  const refuse = () => Promise.reject(said);
  const handlers: CatalogAdminHandlers = {
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
    ...answers,
  };
  return serveCatalogAdmin({ ...options, handlers, authenticate: () => 'operator' });
}

function revoke({ address }: RpcServer) {
  const token = { SLUICE_ADMIN_TOKEN: 'any' };
  return sluice(['keys', 'revoke', 'key_1', '--address', address], token);
}

test('the message of a catalog that is temporarily unavailable is shown', async () => {
  const unknown = 'the store does not answer; whether the change was made is unknown';
  await using catalog = await catalogThatSays(new RpcError('unavailable', unknown));
  expect(await revoke(catalog)).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice keys: the catalog at ${catalog.address} cannot do that now: ${unknown}\n`,
  });
});

test('the port of a catalog for gateways is reported as not being its admin port', async () => {
  const refuse = () => Promise.reject(new Error('not in this test'));
  await using forGateways = await serveCatalog({
    ...options,
    handlers: { resolveCredential: refuse, listModels: refuse },
  });
  expect(await revoke(forGateways)).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice keys: ${forGateways.address} is not the admin port of a catalog, or the service there is older than this command\n`,
  });
});

test('the changes are shown, although the catalog could not be read at first', async () => {
  const behind = new RpcError('unavailable', 'this replica lags behind');
  let asked = 0;
  await using catalog = await catalogThatSays(behind, {
    listResources: async () => {
      asked += 1;
      if (asked === 1) throw behind;
      return { resources: [], position: { epoch: 1, sequence: 1 }, nextAfter: '' };
    },
  });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sluice-test-'));
  const file = join(folder.path, 'plans.yaml');
  await writeFile(file, 'plans: [{ id: everyone, limits: {} }]');
  const { code, stdout } = await sluice(
    ['apply', '-f', file, '--dry-run', '--address', catalog.address],
    { SLUICE_ADMIN_TOKEN: 'any' },
  );
  expect(stdout).toContain('+ plans/everyone');
  expect(code).toBe(0);
});

describe('a file without entries that have ids of the demo', () => {
  const held: Readonly<Record<string, { id: string; [field: string]: unknown }>> = {
    plans: { id: 'demo', limits: {} },
    models: { id: 'qwen', owned_by: 'local', pool: 'default', runtime_model: 'qwen' },
  };
  const isThere = () =>
    catalogThatSays(new RpcError('unavailable', 'not in this test'), {
      listResources: async ({ kind }) => {
        const document = held[kind];
        const entry = { kind, id: document?.id ?? '', document: JSON.stringify(document) };
        const resources = document === undefined ? [] : [{ ...entry, sequence: 1 }];
        return Promise.resolve({ resources, position: { epoch: 1, sequence: 1 }, nextAfter: '' });
      },
    });

  async function changesAt(place: readonly string[], state: string): Promise<unknown> {
    const file = join(state, 'nothing.yaml');
    await writeFile(file, 'plans: []\nmodels: []\n');
    const { code, stdout, stderr } = await sluice(
      ['apply', '-f', file, '--dry-run', '--json', ...place],
      { SLUICE_ADMIN_TOKEN: 'any' },
    );
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  }

  test('deletes the demo entries from a remote deployment', async () => {
    await using catalog = await isThere();
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sluice-test-'));
    expect(await changesAt(['--address', catalog.address], folder.path)).toMatchObject({
      changes: [
        { action: 'delete', kind: 'models', id: 'qwen' },
        { action: 'delete', kind: 'plans', id: 'demo' },
      ],
    });
  });

  test('keeps them in a stack on this machine, whose next start would create them again', async () => {
    await using catalog = await isThere();
    await using state = await mkdtempDisposable(join(tmpdir(), 'sluice-test-'));
    const { runningFile, adminTokenFile } = stateFolderAt(state.path);
    await writeFile(adminTokenFile, 'any\n');
    const addresses = { admin_address: catalog.address, admin_addresses: [catalog.address] };
    const access = { ...addresses, admin_token_file: adminTokenFile };
    const stack = runningStack({ ...access, models: ['qwen'] });
    await writeRunningStack(runningFile, stack);
    expect(await changesAt(['--state', state.path], state.path)).toMatchObject({ changes: [] });
  });
});

test('an export that would lose fields of a newer catalog is refused', async () => {
  await using catalog = await catalogThatSays(new RpcError('unavailable', 'not in this test'), {
    listResources: async ({ kind }) => {
      const document = JSON.stringify({ id: 'pro', limits: {}, colour: 'red' });
      const resources = kind === 'plans' ? [{ kind, id: 'pro', document, sequence: 1 }] : [];
      return Promise.resolve({ resources, position: { epoch: 1, sequence: 1 }, nextAfter: '' });
    },
  });
  const token = { SLUICE_ADMIN_TOKEN: 'any' };
  const place = ['--address', catalog.address];
  expect(await sluice(['export', ...place], token)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'sluice export: plans/pro would lose colour: the catalog is newer than this command, which must be upgraded\n',
  });
  expect(await sluice(['get', 'plans', ...place], token)).toMatchObject({ code: 0, stderr: '' });
});

test('an audit log is read page by page until there is enough of it', async () => {
  const asked: [before: number, limit: number][] = [];
  const change = (sequence: number) => ({
    position: { epoch: 1, sequence },
    atMs: 0,
    who: 'operator',
    action: 'create',
    kind: 'plans',
    id: `plan${sequence}`,
  });
  await using catalog = await catalogThatSays(new RpcError('unavailable', 'not in this test'), {
    listAudit: async ({ before, limit }) => {
      asked.push([before, limit]);
      const newest = before === 0 ? 9 : before - 1;
      const records = [newest, newest - 1].slice(0, limit).map(change);
      return Promise.resolve({ records, nextBefore: newest - 1 });
    },
  });
  const { code, stdout } = await sluice(
    ['audit', '--limit', '3', '--json', '--address', catalog.address],
    { SLUICE_ADMIN_TOKEN: 'any' },
  );
  expect(JSON.parse(stdout)).toMatchObject([{ id: 'plan9' }, { id: 'plan8' }, { id: 'plan7' }]);
  expect([code, asked]).toEqual([
    0,
    [
      [0, 3],
      [8, 1],
    ],
  ]);
});

test('a catalog that answers is used, even if the first one of several does not answer', async () => {
  const taken: Socket[] = [];
  const silent = createServer((socket) => taken.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  await using catalog = await catalogThatSays(new RpcError('failed_precondition', 'I am here'));
  await using state = await mkdtempDisposable(join(tmpdir(), 'sluice-test-'));
  const { runningFile, adminTokenFile } = stateFolderAt(state.path);
  await writeFile(adminTokenFile, 'any\n');
  const first = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const stack = runningStack({
    admin_address: first,
    admin_addresses: [first, catalog.address],
    admin_token_file: adminTokenFile,
  });
  await writeRunningStack(runningFile, stack);
  expect(await sluice(['keys', 'revoke', 'key_1', '--state', state.path])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'sluice keys: I am here\n',
  });
  for (const socket of taken) socket.destroy();
  silent.close();
});
