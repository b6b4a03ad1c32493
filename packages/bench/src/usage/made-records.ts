import { randomUUID } from 'node:crypto';
import type { AttemptRecord, RequestRecord } from '@sluice/contracts';

/** The records of one completed request. */
export interface MadeRecords {
  readonly request: RequestRecord;
  readonly attempt: AttemptRecord;
}

/** A completed request with one attempt, as a gateway and a worker write them. */
export function madeRecords(organization: string, atMs: number): MadeRecords {
  const id = randomUUID();
  const common = {
    gateway: 'gateway1',
    organization,
    project: `${organization}-app`,
    model: 'large',
  };
  const worker = { worker: 'default.w_1', worker_name: 'gpu-1' };
  const usage = { input_tokens: 100, cached_tokens: 20, output_tokens: 200, reasoning_tokens: 5 };
  return {
    request: {
      kind: 'request',
      id,
      ...common,
      credential: `key_${organization}`,
      operation: 'completions',
      stream: true,
      outcome: 'completed',
      code: null,
      attempts: 1,
      refused_offers: 0,
      target: 'default',
      estimated_input_tokens: 90,
      delivered_tokens: 200,
      usage,
      received_at_ms: atMs,
      first_token_ms: 40,
      duration_ms: 900,
      status: 200,
      limits: {
        tokens: 290,
        windows: { requests_per_minute: [6_000, 5_990], tokens_per_day: [9_000_000, 8_000_000] },
      },
      offers: [{ ...worker, target: 'default', after_ms: 2, took_ms: 890, ended: 'finished' }],
    },
    attempt: {
      kind: 'attempt',
      id: `${id}-1`,
      request: id,
      ...common,
      ...worker,
      ended: 'finished',
      reason: null,
      generated_tokens: 200,
      unheard_tokens: 0,
      usage,
      accepted_at_ms: atMs,
      queued_ms: 1,
      ran_ms: 880,
      host: 'machine-1',
      runtime: '127.0.0.1:8000',
    },
  };
}
