import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../run-command-line.ts';
import { findAccess } from '../service-access.ts';
import { commands } from './index.ts';

let folder = '';
let environment: Record<string, string> = {};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-contexts-'));
  environment = { SLUICE_CONFIG: join(folder, 'config', 'contexts.yaml') };
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function sluice(...parameters: string[]) {
  let out = '';
  let error = '';
  const code = await runCommandLine(parameters, {
    commands,
    environment,
    folder,
    print: (text) => (out += `${text}\n`),
    printError: (text) => (error += `${text}\n`),
  });
  return { code, out, error };
}

const wanted = { contextField: 'address', nearestOf: () => 'local' } as const;

async function access(contextName?: string) {
  const context = { environment, folder, contextName, print: () => {}, printError: () => {} };
  return findAccess({}, context, wanted);
}

test('a context is kept in a file that only its owner reads, and names the deployment', async () => {
  await writeFile(join(folder, 'token'), 'secret\n', { mode: 0o600 });
  await sluice('context', 'add', 'prod', '--address', 'catalog:50052', '--token-file', 'token');
  const file = environment['SLUICE_CONFIG'] ?? '';
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).not.toContain('secret');
  expect(await access('prod')).toMatchObject({ address: 'catalog:50052', token: 'secret' });
});

test('the chosen context is used until it is removed, and SLUICE_CONTEXT has priority over it', async () => {
  environment['SLUICE_ADMIN_TOKEN'] = 'token';
  await sluice('context', 'add', 'one', '--address', 'one:1');
  await sluice('context', 'add', 'two', '--address', 'two:2', '--usage', 'two:3');
  await sluice('context', 'use', 'two');
  expect(await access()).toMatchObject({ address: 'two:2' });
  environment['SLUICE_CONTEXT'] = 'one';
  expect(await access()).toMatchObject({ address: 'one:1' });
  delete environment['SLUICE_CONTEXT'];
  const { out } = await sluice('--output', 'csv', 'context', 'list');
  expect(out).toBe(
    'name,current,address,usage\nlocal,false,,\none,false,one:1,\ntwo,true,two:2,two:3\n',
  );
  await sluice('context', 'remove', 'two');
  await expect(access()).rejects.toThrow(/^no stack is running from /);
});

test('a token file that other users can read is refused', async () => {
  await writeFile(join(folder, 'token'), 'secret');
  await chmod(join(folder, 'token'), 0o644);
  await sluice('context', 'add', 'prod', '--address', 'catalog:50052', '--token-file', 'token');
  await expect(access('prod')).rejects.toThrow(/is open to other users; 'chmod 600 /);
});

test.each([
  [['add', 'local', '--address', 'a:1'], /'local' is no name for a context/],
  [['add', 'prod'], /say where it is/],
  [['add', 'prod', '--nats', 'nats://me:secret@host'], /must hold no user or password/],
  [['add', 'prod', '--address', 'a:1', '--state', 'x'], /exclude each other/],
  [['use', 'locl'], /no context 'locl'; did you mean 'local'\?/],
  [['remove', 'local'], /local is always there/],
  [['ad', 'prod'], /did you mean 'add'\?/],
])('context %j is refused', async (parameters, message) => {
  const { code, error } = await sluice('context', ...parameters);
  expect(error).toMatch(message);
  expect(error).not.toContain('secret');
  expect(code).toBe(2);
});

test('the error says that a context lacks the address that a command needs', async () => {
  environment['SLUICE_ADMIN_TOKEN'] = 'token';
  await sluice('context', 'add', 'prod', '--address', 'a:1');
  const { code, error } = await sluice('fleet', '--context', 'prod');
  expect(error).toContain("add it with 'sluice context add prod --nats …'");
  expect(code).toBe(2);
});
