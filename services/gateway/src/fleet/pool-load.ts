import type { Heartbeat, WorkerLoad } from '@sluice/contracts';

export interface LoadedWorker {
  readonly heartbeat: Pick<Heartbeat, 'pool' | 'service_ms'>;
  readonly load: WorkerLoad;
}

/** The load of all workers of a pool together. */
export interface PoolLoad {
  readonly slots: number;
  readonly running: number;
  readonly queued: number;
  /** How long a new job would wait for a slot. Undefined if no worker has measured how long its jobs take. */
  readonly expectedWaitMs: number | undefined;
}

export function poolLoad(workers: readonly LoadedWorker[]): PoolLoad {
  let [slots, running, queued] = [0, 0, 0];
  let expectedWaitMs: number | undefined;
  for (const worker of workers) {
    slots += worker.load.slots;
    running += worker.load.running;
    queued += worker.load.queued;
    const wait = slotWaitMs(worker);
    if (wait !== undefined && wait < (expectedWaitMs ?? Infinity)) expectedWaitMs = wait;
  }
  return { slots, running, queued, expectedWaitMs };
}

function slotWaitMs({ heartbeat, load }: LoadedWorker): number | undefined {
  if (load.running + load.queued < load.slots) return 0;
  if (heartbeat.service_ms === null) return undefined;
  return (heartbeat.service_ms * (load.queued + 1)) / Math.max(1, load.slots);
}
