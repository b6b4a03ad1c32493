import { identify } from './process-identity.ts';
import type { RunningStack } from './running-stack.ts';

/** A stack that runs in this process, by its own account, and has nothing but what a test says of it. */
export function runningStack(changes: Partial<RunningStack> = {}): RunningStack {
  return {
    up: identify(process.pid) ?? { pid: process.pid, started: 'unknown' },
    base_url: '',
    api_root: '',
    redis_url: '',
    nats_url: '',
    subject_prefix: 'sluice',
    catalog_address: '',
    quota_addresses: [],
    admin_address: '',
    admin_addresses: [],
    admin_token_file: '',
    models: [],
    logs: '',
    services: [],
    ...changes,
  };
}
