import type { Backend, BackendKind } from './backend.ts';
import { dockerBackend } from './docker-servers.ts';
import { localBackend } from './local-servers.ts';
import type { Environment } from './server-programs.ts';

const BACKEND_SETTING = 'SLUICE_TEST_BACKEND';

/**
 * Uses containers if a Docker engine answers and the images are available. Otherwise it uses the programs of this
 * machine.
 */
export async function chooseBackend(environment: Environment): Promise<Backend> {
  const wanted = environment[BACKEND_SETTING];
  if (wanted === 'local') return localBackend(environment);
  if (wanted === 'docker') return dockerBackend();
  if (wanted !== undefined && wanted !== '') {
    throw new Error(`${BACKEND_SETTING} must be docker or local, not ${wanted}`);
  }
  const containers = await dockerOrReason();
  if (typeof containers !== 'string') return containers;
  const local = localBackend(environment);
  return { ...local, description: `${local.description} (no containers: ${containers})` };
}

/** The backend with containers, or the reason in one line why containers cannot be used. */
export async function dockerOrReason(): Promise<Backend | string> {
  try {
    return await dockerBackend();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The library describes a missing Docker engine in these words.
    if (reason.includes('container runtime')) return 'no Docker engine answers';
    return reason.split('\n', 1)[0] ?? reason;
  }
}

export async function openBackend(kind: BackendKind, environment: Environment): Promise<Backend> {
  return chooseBackend({ ...environment, [BACKEND_SETTING]: kind });
}
