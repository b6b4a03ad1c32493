import { spawn } from 'node:child_process';
import { identify, type ProcessIdentity } from './process-identity.ts';

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that was started and may have ended since. */
export interface Launched {
  readonly process: ProcessIdentity;
  readonly ended: Promise<Ending>;
  /** Reaches the process and whatever it started. */
  signal(signal: NodeJS.Signals): void;
}

export interface LaunchOptions {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Its standard output and error, a file's descriptor. */
  readonly log: number;
  /** Lets a Node process notice that its supervisor is gone, however that went. */
  readonly tether: boolean;
}

/**
 * Starts a program in a process group of its own: a Ctrl-C in the terminal reaches the supervisor
 * alone, which stops its children in their order.
 */
export async function launch({
  program,
  parameters,
  environment,
  log,
  tether,
}: LaunchOptions): Promise<Launched> {
  const child = spawn(program, parameters, {
    env: environment,
    detached: true,
    stdio: tether ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
  });
  const ended = Promise.withResolvers<Ending>();
  child.once('exit', (code, signal) => ended.resolve({ code, signal }));
  const spawned = Promise.withResolvers<void>();
  child.once('spawn', spawned.resolve);
  child.once('error', spawned.reject);
  await spawned.promise;
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} was started and has no process id`);
  return {
    // A process that ended at once is known by its pid alone.
    process: identify(pid) ?? { pid, started: 'unknown' },
    ended: ended.promise,
    signal: (signal) => signalGroup(pid, signal),
  };
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
