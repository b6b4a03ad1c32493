import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BackingEnvironmentError,
  readBackingEnvironment,
  startNats,
  startRedis,
  type BackingKind,
  type RunningServer,
  type ServerProgram,
} from '@sluice/backing';
import { UsageError } from '../command-line.ts';
import { rememberProgram, requireStarts } from './started-programs.ts';

const START = { redis: startRedis, nats: startNats } as const;

/** A server of its own with the shipped settings; its data goes with it. */
export async function startBackingServer(kind: BackingKind): Promise<RunningServer> {
  const program = programOf(kind);
  const folder = await mkdtemp(join(tmpdir(), `sluice-${kind}-`));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    requireStarts();
    const starting = START[kind]({
      program,
      dataFolder: join(folder, 'data'),
      logFile: join(folder, `${kind}.log`),
    });
    const stop = async () => (await starting).stop();
    rememberProgram(
      { [Symbol.asyncDispose]: stop },
      starting.then(({ exited }) => exited),
    );
    const server = await starting;
    return {
      ...server,
      [Symbol.asyncDispose]: async () => {
        await server.stop();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

function programOf(kind: BackingKind): ServerProgram {
  try {
    // An address given by the environment is somebody's server, and not to be loaded like this.
    const { REDIS_URL: _redis, NATS_URL: _nats, ...environment } = process.env;
    const source = readBackingEnvironment(environment)[kind];
    if (source.kind === 'executable') return source;
    throw new UsageError(`${kind} must be a program of this machine for its CPU to be measured`);
  } catch (error) {
    if (!(error instanceof BackingEnvironmentError)) throw error;
    throw new UsageError(error.message.replaceAll('\n', '; '), { cause: error });
  }
}
