import { hostname } from 'node:os';
import { mintProcessId, workerName, type Heartbeat } from '@sluice/contracts';

/**
 * The names of the worker. `worker` is its id on the bus, which is new at each start. The other names are for people.
 */
export type WorkerIdentity = Required<
  Pick<Heartbeat, 'worker' | 'worker_name' | 'pool' | 'host' | 'runtime'>
>;

interface IdentitySettings {
  readonly POOL: string;
  readonly WORKER_NAME?: string | undefined;
  readonly WORKER_HOST?: string | undefined;
  readonly RUNTIME_URL: string;
}

export function identityOf({
  POOL: pool,
  WORKER_NAME: name = hostname(),
  WORKER_HOST: host = hostname(),
  RUNTIME_URL: runtime,
}: IdentitySettings): WorkerIdentity {
  return {
    worker: workerName(pool, mintProcessId()),
    worker_name: name,
    pool,
    host,
    runtime: new URL(runtime).host,
  };
}
