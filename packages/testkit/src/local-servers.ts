import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  readBackingEnvironment,
  startNats,
  startRedis,
  type BackingKind,
  type BackingSource,
} from '@sluice/backing';
import type { Backend, OwnServer } from './backend.ts';
import { withServerPrograms, type Environment } from './server-programs.ts';

const START = { redis: startRedis, nats: startNats } as const;

/** The server programs of this machine, as child processes on free ports. */
export function localBackend(environment: Environment): Backend {
  const sources = readBackingEnvironment(withServerPrograms(environment));
  return {
    kind: 'local',
    description: `${describeSource(sources.redis)} and ${describeSource(sources.nats)}`,
    startRedis: async () => startServer('redis', sources.redis),
    startNats: async () => startServer('nats', sources.nats),
  };
}

function describeSource(source: BackingSource): string {
  if (source.kind === 'executable') return source.path;
  return source.kind === 'docker' ? `the image ${source.image}` : 'a server that runs already';
}

async function startServer(kind: BackingKind, source: BackingSource): Promise<OwnServer> {
  if (source.kind === 'url') return serverAt(kind, source.url);
  const folder = await mkdtemp(join(tmpdir(), `sluice-test-${kind}-`));
  const start = async (port?: number) =>
    START[kind]({
      executable: source.kind === 'docker' ? `docker:${source.image}` : source.path,
      dataFolder: folder,
      logFile: join(folder, 'server.log'),
      ...(port === undefined ? {} : { port }),
    });
  let server = await start();
  const { url, port } = server;
  const end = async () => {
    try {
      process.kill(server.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
    await server.exited;
  };
  return {
    url,
    kill: end,
    restart: async () => {
      server = await start(port);
    },
    pause: async () => void process.kill(server.pid, 'SIGSTOP'),
    resume: async () => void process.kill(server.pid, 'SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      // At once: it may be paused, and nobody needs its data any more.
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Somebody else's server can be used by tests and not be hurt by them. */
function serverAt(kind: BackingKind, url: string): OwnServer {
  const refuse = async (): Promise<never> => {
    throw new Error(
      `this test needs a ${kind} of its own: run it without ${kind.toUpperCase()}_URL`,
    );
  };
  return {
    url,
    kill: refuse,
    restart: refuse,
    pause: refuse,
    resume: refuse,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
