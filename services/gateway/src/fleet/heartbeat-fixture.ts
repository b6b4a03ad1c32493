import { CONTRACT_VERSION, type Heartbeat } from '@sluice/contracts';

/** The heartbeat of an idle worker, for tests. */
export function heartbeatOf(worker: string, change: Partial<Heartbeat> = {}): Heartbeat {
  return {
    worker,
    pool: 'default',
    contract: CONTRACT_VERSION,
    version: '0.1.0',
    models: ['large'],
    draining: false,
    load: { slots: 4, running: 0, queued: 0, queue_limit: 8 },
    service_ms: null,
    generated_tokens: 0,
    runtime_load: null,
    ...change,
  };
}
