import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@sluice/testkit';
import { Redis } from 'ioredis';

/** A Redis program of this machine: a cluster or sentinels need several that know each other's addresses. */
function redisProgram(): string | undefined {
  const unpacked = path.join(import.meta.dirname, '../../../../.tools/servers/bin/redis-server');
  const program = process.env['SLUICE_REDIS_SERVER'] ?? unpacked;
  return program.startsWith('/') && existsSync(program) ? program : undefined;
}

/** Why what needs such a program cannot run here. */
export function redisProgramMissing(): string | undefined {
  return redisProgram() === undefined ? 'there is no Redis program on this machine' : undefined;
}

export interface RedisProcess extends AsyncDisposable {
  readonly port: number;
  /** 0 unless it was asked for. */
  readonly tlsPort: number;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
}

export interface RedisProcessOptions {
  readonly port?: number;
  /** Lines of its settings file, which it may rewrite. */
  readonly settings?: readonly string[];
  readonly sentinel?: boolean;
  readonly password?: string;
  /** Listens for TLS too, on a port of its own. */
  readonly tlsPort?: boolean;
}

export async function startRedisProcess({
  port: wantedPort,
  settings = [],
  sentinel = false,
  password,
  tlsPort: withTls = false,
}: RedisProcessOptions = {}): Promise<RedisProcess> {
  const program = redisProgram();
  if (program === undefined) throw new Error('there is no Redis program');
  const port = wantedPort ?? (await freePort());
  const folder = await mkdtemp(path.join(dataFolder(), 'sluice-test-redis-'));
  const file = path.join(folder, 'redis.conf');
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, ...settings];
  const tlsPort = withTls ? await freePort() : 0;
  if (withTls) lines.push(`tls-port ${tlsPort}`);
  if (password !== undefined) lines.push(`requirepass "${password}"`);
  if (!sentinel) lines.push('appendonly yes', 'save ""');
  await writeFile(file, `${lines.join('\n')}\n`);
  let child: ChildProcess | undefined;

  const start = async () => {
    child = spawn(program, [file, ...(sentinel ? ['--sentinel'] : [])], { stdio: 'ignore' });
    const access = { port, ...(password === undefined ? {} : { password }) };
    await waitUntil(() => askWithPassword(access, 'ping'), {
      what: `Redis on port ${port} to answer`,
    });
  };
  const kill = async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    running.once('exit', () => resolve());
    running.kill('SIGKILL');
    await promise;
  };
  await start();
  return {
    port,
    tlsPort,
    kill,
    restart: start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In memory where the system has such a folder: a slow disk is none of the faults that are tested. */
function dataFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

/** One command on a connection of its own. */
export function ask(port: number, ...command: [string, ...string[]]): Promise<unknown> {
  return askWithPassword({ port }, ...command);
}

async function askWithPassword(
  access: { port: number; password?: string },
  ...command: [string, ...string[]]
): Promise<unknown> {
  const redis = new Redis({ ...access, host: '127.0.0.1', lazyConnect: true, retryStrategy: null });
  // The command's own rejection says it all.
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await redis.call(...command);
  } finally {
    redis.disconnect();
  }
}

/** Free, and low enough for a cluster's second port, 10000 above. */
async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, '127.0.0.1', resolve);
    await promise;
    const address = server.address();
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    await closed.promise;
    if (address === null || typeof address === 'string') throw new Error('no address was given');
    const lowered = (address.port % 20_000) + 20_000;
    if ((await isFree(lowered)) && (await isFree(lowered + 10_000))) return lowered;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => resolve(true));
  const free = await promise;
  server.close();
  return free;
}
