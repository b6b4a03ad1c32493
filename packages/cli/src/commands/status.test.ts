import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../run-command-line.ts';
import { runningStack } from '../stack/running-stack-fixture.ts';
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

const me = runningStack().up;

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
  await writeRunningStack(stateFolderAt(folder).runningFile, runningStack({ up, services }));
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
