import type { AttemptRecord, RequestRecord } from '@sluice/contracts';

/** Noon of the day on which the tests run, so that no retention removes the records. */
export const NOON = Math.floor(Date.now() / 86_400_000) * 86_400_000 + 43_200_000;

/** The record of a completed request, with the given changes. */
export function requestOf(changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    kind: 'request',
    id: 'request1',
    gateway: 'gateway1',
    organization: 'acme',
    project: 'app',
    credential: 'key1',
    operation: 'completions',
    model: 'large',
    target: 'default',
    stream: true,
    outcome: 'completed',
    code: null,
    attempts: 1,
    refused_offers: 0,
    estimated_input_tokens: 4,
    delivered_tokens: 12,
    usage: { input_tokens: 3, cached_tokens: 1, output_tokens: 12, reasoning_tokens: 5 },
    received_at_ms: NOON,
    first_token_ms: 40,
    duration_ms: 200,
    ...changes,
  };
}

/** The record of the finished attempt of this request, with the given changes. */
export function attemptOf(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    kind: 'attempt',
    id: 'request1-1',
    request: 'request1',
    worker: 'worker1',
    gateway: 'gateway1',
    organization: 'acme',
    project: 'app',
    model: 'large',
    ended: 'finished',
    reason: null,
    generated_tokens: 12,
    unheard_tokens: 0,
    usage: { input_tokens: 3, cached_tokens: 1, output_tokens: 12, reasoning_tokens: 5 },
    accepted_at_ms: NOON,
    queued_ms: 0,
    ran_ms: 190,
    ...changes,
  };
}
