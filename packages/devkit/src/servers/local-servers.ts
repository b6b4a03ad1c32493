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
} from '@sluice/servers';
import { freezeProcess } from '../stack/freeze-process.ts';
import type { Backend, OwnServer } from './backend.ts';
import { withServerPrograms, type Environment } from './server-programs.ts';

const START = { redis: startRedis, nats: startNats } as const;

/** The server programs of this machine, as child processes on free ports. */
export function localBackend(environment: Environment): Backend {
  const { redis, nats } = readBackingEnvironment({
    ...withServerPrograms(environment),
    // Tests write to their servers and kill them, so they must not use servers that hold real data.
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
  // The signals of a test would only reach Docker's client, and not the server in the container.
  throw new Error(
    'for tests, SLUICE_REDIS_SERVER and SLUICE_NATS_SERVER must be paths of programs, not docker:IMAGE; to run tests with containers, set SLUICE_TEST_BACKEND=docker',
  );
}

async function startServer(kind: BackingKind, program: ServerProgram): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), `sluice-test-${kind}-`));
  const start = async (port?: number) =>
    START[kind]({ program, dataFolder: folder, logFile: join(folder, 'server.log'), port });
  let server = await start();
  const { url, port } = server;
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    server.program.signal(signal);
    await server.program.ended;
  };
  return {
    url,
    kill: async () => end('SIGKILL'),
    terminate: async () => end('SIGTERM'),
    restart: async () => {
      server = await start(port);
    },
    pause: async () => freezeProcess(server.program.pid),
    resume: async () => server.program.signal('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      // SIGKILL, because the server may be paused, and its data is no longer needed.
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
