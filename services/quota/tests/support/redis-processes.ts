import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { Redis } from 'ioredis';

/** The path of the Redis program. Containers will not do: nodes and sentinels must reach each other at 127.0.0.1. */
function redisProgram(): string | undefined {
  const unpacked = path.join(import.meta.dirname, '../../../../.tools/servers/bin/redis-server');
  const program = process.env['SLUICE_REDIS_SERVER'] ?? unpacked;
  return program.startsWith('/') && existsSync(program) ? program : undefined;
}

/** Why tests that need the Redis program cannot run; undefined if they can. */
export function redisProgramMissing(): string | undefined {
  return redisProgram() === undefined ? 'there is no Redis program on this machine' : undefined;
}

export interface RedisProcess extends AsyncDisposable {
  readonly port: number;
  /** 0 unless TLS is enabled. */
  readonly tlsPort: number;
  /** Kills the process, like a crash. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
}

export interface RedisProcessOptions {
  readonly port?: number;
  /** Lines of the configuration file. */
  readonly settings?: readonly string[];
  readonly sentinel?: boolean;
  readonly password?: string;
  /** Whether Redis also listens for TLS, on a second port. */
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
  if (!sentinel) {
    lines.push('appendonly yes', 'save ""');
    // By default, a master waits five seconds for more replicas before the first transfer.
    lines.push('repl-diskless-sync-delay 0');
  }
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

/** A folder in memory if there is one, so that a slow disk does not affect the tests. */
function dataFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

/** Sends one command on a new connection. */
export function ask(port: number, ...command: [string, ...string[]]): Promise<unknown> {
  return askWithPassword({ port }, ...command);
}

async function askWithPassword(
  access: { port: number; password?: string },
  ...command: [string, ...string[]]
): Promise<unknown> {
  const redis = new Redis({ ...access, host: '127.0.0.1', lazyConnect: true, retryStrategy: null });
  // Without a listener, ioredis prints the error. The rejected command reports it already.
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await redis.call(...command);
  } finally {
    redis.disconnect();
  }
}

/** A free port whose cluster bus port, 10000 above, is free too. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    if (await isFree(port + 10_000)) return port;
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
