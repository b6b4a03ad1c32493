import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
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

/** Starts a server that calls `serve` with every connection, and returns its port. */
async function portOf(serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const redisThat = async (says: string) =>
  `redis://127.0.0.1:${await portOf((socket) => socket.once('data', () => socket.write(says)))}`;

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

/** The output of `status` for a stack that runs in this process. */
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
])('with a process that is %s, the exit code is %d', async (state, exitCode, changes) => {
  const url = await redisThat('+PONG\r\n');
  const { code, shown } = await statusOf([running({ url, ...changes })]);
  expect(shown).toMatch(new RegExp(`^redis +${state} `, 'm'));
  expect(code).toBe(exitCode);
});

test('a Redis that requires a password counts as ready', async () => {
  const url = await redisThat('-NOAUTH Authentication required.\r\n');
  expect(await statusOf([running({ url })])).toMatchObject({ code: 0 });
});

test('a NATS that sends INFO is ready', async () => {
  const port = await portOf((socket) => socket.write('INFO {"server_id":"x"} \r\n'));
  const nats = running({ name: 'nats', url: `nats://127.0.0.1:${port}` });
  expect(await statusOf([nats])).toMatchObject({ code: 0 });
});

test.each(['redis', 'nats'])(
  'a %s that accepts a connection and sends nothing is not ready',
  async (name) => {
    const port = await portOf(() => undefined);
    const { code, shown } = await statusOf([running({ name, url: `${name}://127.0.0.1:${port}` })]);
    expect(shown).toMatch(new RegExp(`^${name} +not ready `, 'm'));
    expect(code).toBe(1);
  },
);

test.each([
  ['redis://me:secret@store:6379', 'redis://me:***@store:6379'],
  ['nats://me:secret@one:4222,nats://two:4222', 'nats://me:***@one:4222,nats://two:4222'],
  ['nats://secret@one:4222', 'nats://***@one:4222'],
  ['redis://me@store:6379', 'redis://me@store:6379'],
])('the address %s is shown without its secret', async (url, address) => {
  const { shown } = await statusOf([running({ url, external: true, process: null })]);
  expect(shown.split('\n').at(-1)).toMatch(/^redis /);
  expect(shown.split(' ').at(-1)).toBe(address);
});

test('a stack whose command has ended does not run', async () => {
  const { code, shown } = await statusOf([running()], { ...me, started: 'another time' });
  expect(shown).toContain(`no stack is running from ${folder}`);
  expect(code).toBe(1);
});
