import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useLeakCheck } from '@sluice/devkit';
import { serveCatalogAdmin, serveQuota, type RpcServer } from '@sluice/rpc';
import { findFreePort } from '@sluice/servers';
import { createLogger } from '@sluice/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningStack } from '../src/stack/running-stack-fixture.ts';
import { writeRunningStack } from '../src/stack/running-stack.ts';
import { stateFolderAt } from '../src/stack/state-folder.ts';
import { catalogOfAcme, untouchedQuota } from './acme-services.ts';
import { sluice } from './run-sluice.ts';

useLeakCheck();

const options = {
  host: '127.0.0.1',
  port: 0,
  logger: createLogger({ service: 'test', level: 'silent' }),
};
let catalog: RpcServer;
let quota: RpcServer;
let nobody: string;

beforeAll(async () => {
  catalog = await serveCatalogAdmin({
    ...options,
    handlers: catalogOfAcme,
    authenticate: () => 'operator',
  });
  quota = await serveQuota({ ...options, handlers: untouchedQuota });
  nobody = `127.0.0.1:${await findFreePort()}`;
});
afterAll(async () => {
  await catalog[Symbol.asyncDispose]();
  await quota[Symbol.asyncDispose]();
});

/** Runs `limits` for a stack with these quota services. */
async function limitsIn(quotas: readonly string[]) {
  await using state = await mkdtempDisposable(join(tmpdir(), 'sluice-limits-'));
  const { runningFile, adminTokenFile } = stateFolderAt(state.path);
  await writeFile(adminTokenFile, 'any\n');
  const stack = runningStack({
    admin_addresses: [catalog.address],
    admin_token_file: adminTokenFile,
    quota_addresses: [...quotas],
  });
  await writeRunningStack(runningFile, stack);
  return await sluice(['limits', 'acme', '--json', '--state', state.path]);
}

test('a quota service that answers is used', async () => {
  const { code, stdout, stderr } = await limitsIn([nobody, quota.address]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ limits: { requests_per_minute: { remaining: 60 } } });
});

test('if none answers, each is named', async () => {
  const other = `127.0.0.1:${await findFreePort()}`;
  expect(await limitsIn([nobody, other])).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice limits: the quota service at ${nobody} does not answer; the quota service at ${other} does not answer; try again\n`,
  });
});

test('a quota service without Redis is distinguished from one that does not answer', async () => {
  await using storeless = await serveQuota({
    ...options,
    handlers: { ...untouchedQuota, peek: async () => ({ outcome: 'unavailable' }) },
  });
  const { address } = storeless;
  expect(await limitsIn([address])).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice limits: the quota service at ${address} answers, but cannot use its Redis; see its /readyz\n`,
  });
});

test('the address of another service is reported', async () => {
  const { address } = catalog;
  expect(await limitsIn([address])).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice limits: ${address} is not the port of a quota service\n`,
  });
});

test('the message of an error of the quota service is shown', async () => {
  await using broken = await serveQuota({
    ...options,
    handlers: { ...untouchedQuota, peek: () => Promise.reject(new Error('a secret')) },
  });
  const { address } = broken;
  expect(await limitsIn([address])).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice limits: the quota service at ${address} fails: the service had an error\n`,
  });
});
