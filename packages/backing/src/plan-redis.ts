import { join } from 'node:path';
import { parseServerProgram } from './backing-source.ts';
import { converse } from './conversation.ts';
import { CONTAINER_DATA, CONTAINER_SETTINGS, dockerCommand } from './docker-command.ts';
import { LOOPBACK } from './loopback-port.ts';
import type { PlanOptions, ServerPlan } from './server-plan.ts';

const SETTINGS_FILE = join(import.meta.dirname, '../../../deploy/redis/redis.conf');
const CONTAINER_PORT = 6379;

export type RedisPlanOptions = PlanOptions & {
  /** Whether data survives a restart, as it does unless told otherwise. */
  readonly appendOnly?: boolean;
};

/** How a Redis with the shipped settings is run on this machine's loopback. */
export function planRedis(options: RedisPlanOptions): ServerPlan {
  const { port, dataFolder, appendOnly = true, settings = {} } = options;
  const source = parseServerProgram(options.executable);
  const extra = Object.entries({ appendonly: appendOnly ? 'yes' : 'no', ...settings }).flatMap(
    ([name, value]) => [`--${name}`, value],
  );
  const shared = { kind: 'redis', port, url: `redis://${LOOPBACK}:${port}` } as const;
  if (source.kind === 'executable') {
    return {
      ...shared,
      program: source.path,
      parameters: [SETTINGS_FILE, '--port', String(port), '--dir', dataFolder, ...extra],
      answers: (pid) => redisAnswers(port, pid),
      killCommand: undefined,
    };
  }
  const command = dockerCommand({
    image: source.image,
    port,
    containerPort: CONTAINER_PORT,
    dataFolder,
    settingsFile: SETTINGS_FILE,
    // Inside its own network the container must listen beyond its loopback.
    parameters: [
      'redis-server',
      CONTAINER_SETTINGS,
      '--bind',
      '0.0.0.0',
      '--protected-mode',
      'no',
      '--dir',
      CONTAINER_DATA,
      ...extra,
    ],
  });
  return { ...shared, ...command, answers: () => redisAnswers(port) };
}

/** Answers commands, which it does not while it still loads its data, and is this process. */
async function redisAnswers(port: number, pid?: number): Promise<boolean> {
  return converse({
    port,
    say: 'PING\r\nINFO server\r\n',
    judge: (heard) => {
      if (!heard.startsWith('+PONG'.slice(0, heard.length))) return false;
      const process = /^process_id:(\d+)\r\n/m.exec(heard)?.[1];
      if (process === undefined) return undefined;
      return pid === undefined || Number(process) === pid;
    },
  });
}
