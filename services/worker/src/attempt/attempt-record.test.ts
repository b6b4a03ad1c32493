import { describe, expect, it } from 'vitest';
import { attemptRecord } from './attempt-record.ts';
import { Attempt } from './attempt.ts';
import { jobHeaderOf } from './job-header-fixture.ts';

const header = jobHeaderOf({
  gateway: 'gateway1',
  request: 'request1',
  attempt: 2,
  organization: 'acme',
  project: 'app',
  model: 'acme/large',
});

function attemptWith(changes: Partial<Attempt>): Attempt {
  const channel = {
    lastSentAt: 0,
    send: () => undefined,
    sendDeferred: () => undefined,
    close: () => undefined,
    forceGap: () => undefined,
  };
  const details = { header, body: new Uint8Array(0), channel, trace: undefined };
  return Object.assign(new Attempt({ ...details, arrivedAt: 1_000 }), changes);
}

const identity = {
  worker: 'default.process1',
  pool: 'default',
  worker_name: 'worker1',
  host: 'rack-7',
  runtime: '127.0.0.1:8000',
};
const moment = { identity, now: 1_500, wallNow: 1_700_000_000_500 };

describe('the record of an attempt', () => {
  it('has the token counts of the runtime if the attempt finished', () => {
    const usage = { input_tokens: 6, cached_tokens: 2, output_tokens: 44, reasoning_tokens: 9 };
    const attempt = attemptWith({ startedAt: 1_100, generatedTokens: 40 });
    expect(attemptRecord(attempt, { kind: 'finished', usage }, moment)).toEqual({
      kind: 'attempt',
      id: 'request1-2',
      request: 'request1',
      worker: 'default.process1',
      worker_name: 'worker1',
      host: 'rack-7',
      runtime: '127.0.0.1:8000',
      gateway: 'gateway1',
      organization: 'acme',
      project: 'app',
      model: 'acme/large',
      ended: 'finished',
      reason: null,
      generated_tokens: 44,
      unheard_tokens: 0,
      usage,
      accepted_at_ms: 1_700_000_000_000,
      queued_ms: 100,
      ran_ms: 400,
    });
  });

  it('counts undelivered tokens if the attempt lost its gateway', () => {
    const attempt = attemptWith({ startedAt: 1_100, generatedTokens: 40, deliveredTokens: 25 });
    const end = { kind: 'abandoned', reason: 'gateway_silent' } as const;
    expect(attemptRecord(attempt, end, moment)).toMatchObject({
      ended: 'abandoned',
      reason: 'gateway_silent',
      generated_tokens: 40,
      unheard_tokens: 15,
      usage: null,
    });
  });

  it('counts no undelivered tokens if the attempt failed', () => {
    const attempt = attemptWith({ startedAt: 1_100, generatedTokens: 40, deliveredTokens: 25 });
    const end = { kind: 'failed', reason: 'upstream_unavailable' } as const;
    expect(attemptRecord(attempt, end, moment)).toMatchObject({
      ended: 'failed',
      generated_tokens: 40,
      unheard_tokens: 0,
    });
  });

  it('counts all time as queued if the attempt never got a slot', () => {
    const end = { kind: 'handed_back', reason: 'draining' } as const;
    expect(attemptRecord(attemptWith({}), end, moment)).toMatchObject({
      ended: 'handed_back',
      generated_tokens: 0,
      queued_ms: 500,
      ran_ms: 0,
    });
  });
});
