import { identify } from '@sluice/servers';
import type { RunningStack } from './running-stack.ts';

/** The record of a stack that runs in this process, with empty fields except for the given changes. */
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
    usage_address: '',
    console_url: '',
    admin_token_file: '',
    models: [],
    logs: '',
    services: [],
    ...changes,
  };
}
