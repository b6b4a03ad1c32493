import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BackingEnvironmentError,
  readBackingEnvironment,
  startNats,
  startRedis,
  type BackingKind,
  type ServerProgram,
} from '@sluice/servers';
import { UsageError } from '../command-line.ts';
import { environmentOfPrograms } from './child-program.ts';

const START = { redis: startRedis, nats: startNats } as const;

export interface BackingServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
}

/** Starts a server with the shipped settings. Its data is deleted when it stops. */
export async function startBackingServer(kind: BackingKind): Promise<BackingServer> {
  const program = programOf(kind);
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), `sluice-${kind}-`));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const server = started.use(
    await START[kind]({
      program,
      dataFolder: join(folder, 'data'),
      logFile: join(folder, `${kind}.log`),
    }),
  );
  const running = started.move();
  return {
    url: server.url,
    port: server.port,
    pid: server.program.pid,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function programOf(kind: BackingKind): ServerProgram {
  try {
    const source = readBackingEnvironment(environmentOfPrograms())[kind];
    if (source.kind === 'executable') return source;
    throw new UsageError(`${kind} must be a program of this machine for its CPU to be measured`);
  } catch (error) {
    if (!(error instanceof BackingEnvironmentError)) throw error;
    throw new UsageError(error.message.replaceAll('\n', '; '), { cause: error });
  }
}
