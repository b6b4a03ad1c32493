import {
  ACCESS_KINDS,
  startProgram as start,
  withoutAccess,
  type ChildProgram,
  type StartOptions,
} from '@sluice/servers';

export interface ProgramOptions extends Omit<StartOptions, 'isReady' | 'log'> {
  /** Whether the program is ready. If it is not set, the program counts as ready as soon as it runs. */
  readonly isReady?: StartOptions['isReady'];
}

const GRACE_MS = 15_000;

/** The environment of the programs of a bench, without access to servers that other programs use. */
export function environmentOfPrograms(): NodeJS.ProcessEnv {
  const { REDIS_URL: _redis, NATS_URL: _nats, ...environment } = process.env;
  return withoutAccess(environment, ACCESS_KINDS);
}

/** Starts a program. The given variables are added to the environment. */
export async function startProgram(options: ProgramOptions): Promise<ChildProgram> {
  return start({
    graceMs: GRACE_MS,
    isReady: async () => true,
    ...options,
    environment: { ...environmentOfPrograms(), ...options.environment },
  });
}

/** Whether an address answers with a status below 500. */
export async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  return response.status < 500;
}
