import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  findFreePort,
  externalServerAnswers,
  isPortFree,
  planNats,
  planRedis,
  StartFailure,
  startNats,
  startRedis,
  type RunningServer,
  type ServerProgram,
} from '@sluice/servers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { serverPrograms } from './server-programs.ts';
import { speak } from './speak.ts';

const programs = serverPrograms();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice backing '));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const options = (program: ServerProgram, dataFolder = 'data') => ({
  program,
  dataFolder: join(folder, dataFolder),
  logFile: join(folder, 'server.log'),
});

const startEither = {
  redis: (port?: number): Promise<RunningServer> =>
    startRedis({ ...options(programs.redis), ...(port === undefined ? {} : { port }) }),
  nats: (port?: number): Promise<RunningServer> =>
    startNats({ ...options(programs.nats), ...(port === undefined ? {} : { port }) }),
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function occupy(port: number): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const server = createServer((socket) => socket.destroy());
  server.once('error', reject);
  server.listen(port, '127.0.0.1', () => resolve(server));
  return promise;
}

describe.each(['redis', 'nats'] as const)('%s', (kind) => {
  const start = startEither[kind];

  test('answers as soon as it is started, on the loopback interface, and ends when it is stopped', async () => {
    const server = await start();

    expect(server.url).toBe(`${kind}://127.0.0.1:${server.port}`);
    expect(isAlive(server.program.pid)).toBe(true);
    await server.program.stop();
    expect(isAlive(server.program.pid)).toBe(false);
    expect(await isPortFree(server.port)).toBe(true);
    expect(server.program.running).toBe(false);
  });

  test('ends at the end of its scope, and may be stopped twice', async () => {
    let pid: number;
    {
      await using server = await start();
      pid = server.program.pid;
      await server.program.stop();
    }
    expect(isAlive(pid)).toBe(false);
  });

  test('a kill is noticed, and a new server can use the same port', async () => {
    const server = await start();
    process.kill(server.program.pid, 'SIGKILL');

    expect(await server.program.ended).toEqual({ code: null, signal: 'SIGKILL' });
    await using replacement = await start(server.port);
    expect(replacement.url).toBe(server.url);
    expect(replacement.program.pid).not.toBe(server.program.pid);
  });

  test('a paused server is killed', async () => {
    const server = await (kind === 'redis'
      ? startRedis({ ...options(programs.redis), graceMs: 200 })
      : startNats({ ...options(programs.nats), graceMs: 200 }));
    process.kill(server.program.pid, 'SIGSTOP');
    await server.program.stop();

    expect(await server.program.ended).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('a requested port that is in use fails with the reason', async () => {
    await using other = await start();
    const second = { ...options(programs[kind], 'other data'), port: other.port };
    const starting = kind === 'redis' ? startRedis(second) : startNats(second);
    const failure = await starting.catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(StartFailure);
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        /does not start \(exit code \d+\)\n.*(?:address already in use|port is already allocated)/is,
      ) as string,
    });
    // The server that uses the port still runs.
    expect(isAlive(other.program.pid)).toBe(true);
  });

  test('another server on the port is not mistaken for the started one', async () => {
    await using other = await start();
    const plan =
      kind === 'redis'
        ? planRedis({ ...options(programs.redis), port: other.port })
        : planNats({ ...options(programs.nats), port: other.port });

    expect(await plan.answers(process.pid)).toBe(false);
  });

  test('a program that does not exist fails with its name', async () => {
    const missing = options({ kind: 'executable', path: join(folder, 'no-such-server') });
    const starting = kind === 'redis' ? startRedis(missing) : startNats(missing);

    await expect(starting).rejects.toThrow(/could not be started: .*no-such-server ENOENT/);
  });

  test('a program that never answers is ended after the timeout', async () => {
    const mute = { ...options({ kind: 'executable', path: '/bin/sleep' }), readyTimeoutMs: 200 };
    const starting = kind === 'redis' ? startRedis(mute) : startNats(mute);

    await expect(starting).rejects.toThrow(StartFailure);
  });
});

test.each(['redis', 'nats'] as const)(
  '%s: if a port is taken between its choice and the start, another port is chosen',
  async (kind) => {
    const taken = await findFreePort();
    const occupant = await occupy(taken);
    const choices = [taken, await findFreePort()];
    const choosePort = async (): Promise<number> => choices.shift() ?? 0;
    try {
      await using server = await (kind === 'redis'
        ? startRedis({ ...options(programs.redis), choosePort })
        : startNats({ ...options(programs.nats), choosePort }));
      expect(server.port).not.toBe(taken);
      expect(choices).toEqual([]);
    } finally {
      occupant.close();
    }
  },
);

test('a server that is given by its address is probed in its own protocol', async () => {
  await using redis = await startEither.redis();
  await using nats = await startNats(options(programs.nats, 'streams'));
  const unusedAddress = `127.0.0.1:${await findFreePort()}`;

  expect(await externalServerAnswers('redis', redis.url)).toBe(true);
  expect(await externalServerAnswers('redis', `redis://user:wrong@127.0.0.1:${redis.port}/1`)).toBe(
    true,
  );
  expect(await externalServerAnswers('nats', `nats://${unusedAddress}, ${nats.url}`)).toBe(true);
  expect(await externalServerAnswers('redis', `redis://${unusedAddress}`)).toBe(false);
  expect(await externalServerAnswers('nats', `tls://${unusedAddress}`)).toBe(false);
  // A Redis address that leads to NATS, and the reverse.
  expect(await externalServerAnswers('redis', `redis://127.0.0.1:${nats.port}`)).toBe(false);
  expect(await externalServerAnswers('nats', `nats://127.0.0.1:${redis.port}`)).toBe(false);
});

test('when a process ends, its servers end', async () => {
  const script = `
    import { startRedis } from '@sluice/servers';
    const { port } = await startRedis(${JSON.stringify(options(programs.redis))});
    console.log(port);
    process.exit();
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { cwd: import.meta.dirname },
  );

  // Checks the port and not the process, because a zombie process may stay for long until it is reaped.
  await vi.waitFor(async () => expect(await isPortFree(Number(stdout))).toBe(true), 5_000);
});

test('the data of Redis survives a kill and a restart', async () => {
  const first = await startEither.redis();
  expect(await speak(first.port, 'SET limit 42\r\n', /\r\n/)).toBe('+OK\r\n');
  process.kill(first.program.pid, 'SIGKILL');
  await first.program.ended;

  await using second = await startEither.redis(first.port);
  expect(await speak(second.port, 'GET limit\r\n', /\r\n.*\r\n/)).toBe('$2\r\n42\r\n');
});

test('the data of JetStream survives a kill and a restart', async () => {
  const ask = (subject: string, body: string): string =>
    `CONNECT {"verbose":false}\r\nSUB inbox 1\r\nPUB ${subject} inbox ${body.length}\r\n${body}\r\n`;
  const answer = /^MSG inbox 1 \d+\r\n.*\r\n/m;
  const first = await startEither.nats();
  const created = await speak(
    first.port,
    ask('$JS.API.STREAM.CREATE.KEPT', '{"name":"KEPT","subjects":["kept"],"storage":"file"}'),
    answer,
  );
  expect(created).toContain('"did_create":true');
  expect(await speak(first.port, ask('kept', 'hello'), answer)).toContain('"seq":1');
  process.kill(first.program.pid, 'SIGKILL');
  await first.program.ended;

  await using second = await startEither.nats(first.port);
  expect(await speak(second.port, ask('$JS.API.STREAM.INFO.KEPT', ''), answer)).toContain(
    '"messages":1',
  );
});

test('Redis runs with the shipped settings and the requested ones', async () => {
  await using server = await startRedis({
    ...options(programs.redis),
    settings: { maxmemory: '64mb' },
  });
  const heard = await speak(
    server.port,
    'CONFIG GET maxmemory-policy\r\nCONFIG GET appendonly\r\nCONFIG GET maxmemory\r\nPING\r\n',
    /\+PONG/,
  );

  expect(heard).toMatch(/noeviction[^]*appendonly\r\n\$3\r\nyes[^]*67108864/);
});

test('NATS runs with the shipped settings and the requested ones', async () => {
  await using server = await startNats({
    ...options(programs.nats),
    settings: { max_connections: '7' },
  });
  const greeting = await speak(server.port, 'PING\r\n', /PONG|ERR/);

  expect(greeting).toContain('"max_payload":8388608');
  expect(greeting).toContain('"jetstream":true');
  expect(await readFile(join(folder, 'data/nats.conf'), 'utf8')).toContain('max_connections: 7');
});
