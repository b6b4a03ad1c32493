import { dockerBackend } from './docker-servers.ts';
import { localBackend } from './local-servers.ts';
import type { Environment } from './server-programs.ts';

/** A real server that belongs to one test file, to be hurt as the test likes. */
export interface OwnServer extends AsyncDisposable {
  readonly url: string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again at the same address, with the data it had on disk. */
  restart(): Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export type BackendKind = 'docker' | 'local';

/** Where real servers for tests come from. */
export interface Backend {
  readonly kind: BackendKind;
  /** For people: what will run. */
  readonly description: string;
  startRedis(): Promise<OwnServer>;
  startNats(): Promise<OwnServer>;
}

export const BACKEND_SETTING = 'SLUICE_TEST_BACKEND';

/** Containers when a Docker engine answers and the images can be had, else the programs of this machine. */
export async function chooseBackend(environment: Environment): Promise<Backend> {
  const wanted = environment[BACKEND_SETTING];
  if (wanted === 'local') return localBackend(environment);
  if (wanted === 'docker') return dockerBackend();
  if (wanted !== undefined && wanted !== '') {
    throw new Error(`${BACKEND_SETTING} must be docker or local, not ${wanted}`);
  }
  try {
    return await dockerBackend();
  } catch {
    return localBackend(environment);
  }
}

export async function openBackend(kind: BackendKind, environment: Environment): Promise<Backend> {
  return chooseBackend({ ...environment, [BACKEND_SETTING]: kind });
}
