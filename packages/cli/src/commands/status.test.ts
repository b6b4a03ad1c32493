import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../run-command-line.ts';
import { identify, type ProcessIdentity } from '../stack/process-identity.ts';
import { writeRunningStack, type RunningProcess } from '../stack/running-stack.ts';
import { stateFolderAt } from '../stack/state-folder.ts';
import { commands } from './index.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-status-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const me: ProcessIdentity = identify(process.pid) ?? { pid: process.pid, started: 'unknown' };

const running = (changes: Partial<RunningProcess> = {}): RunningProcess => ({
  name: 'redis',
  url: 'redis://127.0.0.1:6379',
  health_url: null,
  external: false,
  process: me,
  ready: true,
  restarts: 0,
  ...changes,
});

/** What is shown of a stack that runs in this process, by its own account. */
async function statusOf(services: RunningProcess[], up = me) {
  await writeRunningStack(stateFolderAt(folder).runningFile, {
    up,
    base_url: 'http://127.0.0.1:8080',
    api_root: 'http://127.0.0.1:8080/compat/v1',
    redis_url: '',
    nats_url: '',
    subject_prefix: 'sluice',
    catalog_address: '',
    quota_address: '',
    admin_address: '',
    admin_addresses: [],
    admin_token_file: '',
    logs: '',
    services,
  });
  let shown = '';
  const code = await runCommandLine(['status', '--state', folder], {
    commands,
    environment: {},
    folder: '/',
    print: (text) => (shown += text),
    printError: (text) => (shown += text),
  });
  return { code, shown };
}

test.each<[string, number, Partial<RunningProcess>]>([
  ['ready', 0, {}],
  ['external', 0, { external: true, process: null }],
  ['not ready', 1, { ready: false }],
  ['restarting', 1, { process: null }],
  ['restarting', 1, { process: { ...me, started: 'another time' } }],
  ['not ready', 1, { health_url: 'http://127.0.0.1:1/readyz' }],
])('a process that is %s ends the command with %d', async (state, exitCode, changes) => {
  const { code, shown } = await statusOf([running(), running({ name: 'other', ...changes })]);
  expect(shown).toMatch(new RegExp(`^other +${state} `, 'm'));
  expect(code).toBe(exitCode);
});

test.each([
  ['redis://me:secret@store:6379', 'redis://me:***@store:6379'],
  ['nats://me:secret@one:4222,nats://two:4222', 'nats://me:***@one:4222,nats://two:4222'],
  ['nats://secret@one:4222', 'nats://***@one:4222'],
  ['redis://me@store:6379', 'redis://me@store:6379'],
])('of %s no secret is shown', async (url, address) => {
  const { shown } = await statusOf([running({ url })]);
  expect(shown.split('\n').at(-1)).toMatch(/^redis /);
  expect(shown.split(' ').at(-1)).toBe(address);
});

test('a stack whose command has ended does not run', async () => {
  const { code, shown } = await statusOf([running()], { ...me, started: 'another time' });
  expect(shown).toContain(`no stack is running from ${folder}`);
  expect(code).toBe(1);
});
