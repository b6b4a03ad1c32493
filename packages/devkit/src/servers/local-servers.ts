import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  readBackingEnvironment,
  startNats,
  startRedis,
  type BackingKind,
  type BackingSource,
  type ServerProgram,
} from '@sluice/backing';
import type { Backend, OwnServer } from './backend.ts';
import { freezeProcess } from './freeze-process.ts';
import { withServerPrograms, type Environment } from './server-programs.ts';

const START = { redis: startRedis, nats: startNats } as const;

/** The server programs of this machine, as child processes on free ports. */
export function localBackend(environment: Environment): Backend {
  const { redis, nats } = readBackingEnvironment({
    ...withServerPrograms(environment),
    // Tests write to their servers and kill them: never to those that somebody runs.
    REDIS_URL: undefined,
    NATS_URL: undefined,
  });
  const programs = { redis: executableOf(redis), nats: executableOf(nats) };
  return {
    kind: 'local',
    description: `${programs.redis.path} and ${programs.nats.path}`,
    startRedis: async () => startServer('redis', programs.redis),
    startNats: async () => startServer('nats', programs.nats),
  };
}

type Executable = Extract<ServerProgram, { kind: 'executable' }>;

function executableOf(source: BackingSource): Executable {
  if (source.kind === 'executable') return source;
  // Signals would reach Docker's client alone, and leave the container as it was.
  throw new Error(
    'tests run images on their own (SLUICE_TEST_BACKEND=docker); SLUICE_REDIS_SERVER and SLUICE_NATS_SERVER must be programs for them',
  );
}

async function startServer(kind: BackingKind, program: ServerProgram): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), `sluice-test-${kind}-`));
  const start = async (port?: number) =>
    START[kind]({
      program,
      dataFolder: folder,
      logFile: join(folder, 'server.log'),
      ...(port === undefined ? {} : { port }),
    });
  let server = await start();
  const { url, port } = server;
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    try {
      process.kill(server.pid, signal);
    } catch {
      // It has ended already.
    }
    await server.exited;
  };
  return {
    url,
    kill: async () => end('SIGKILL'),
    terminate: async () => end('SIGTERM'),
    restart: async () => {
      server = await start(port);
    },
    pause: async () => freezeProcess(server.pid),
    resume: async () => void process.kill(server.pid, 'SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      // At once: it may be paused, and nobody needs its data any more.
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
