import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ServiceError } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { testPrincipal } from '../access/principal-fixture.ts';
import { RequestContext } from '../edge/request-context.ts';
import { CompletionCounts } from '../request/completion-counts.ts';
import { requestRecord } from './request-record.ts';

function contextOf(change: Partial<RequestContext> = {}): RequestContext {
  const request = new IncomingMessage(new Socket());
  request.method = 'POST';
  const context = new RequestContext({
    request,
    response: new ServerResponse(request),
    operation: 'completions',
  });
  return Object.assign(context, {
    principal: testPrincipal({ organization: 'acme', project: 'chat', credentialId: 'key1' }),
    counts: new CompletionCounts({ stream: true, inputTokens: 7 }),
    ...change,
  });
}

function recordOf(context: RequestContext) {
  return requestRecord(context, {
    gateway: 'gateway1',
    now: context.startedAt + 250,
    wallNow: 1_700_000_000_250,
  });
}

test('a record names the organization, the time of arrival and the duration of each part', () => {
  const context = contextOf();
  if (context.counts !== undefined) context.counts.firstPieceAt = context.startedAt + 100;
  expect(recordOf(context)).toMatchObject({
    organization: 'acme',
    project: 'chat',
    credential: 'key1',
    estimated_input_tokens: 7,
    received_at_ms: 1_700_000_000_000,
    first_token_ms: 100,
    duration_ms: 250,
  });
});

test('a record states how many offers were refused', () => {
  const counts = new CompletionCounts({ stream: true, inputTokens: 7 });
  counts.offers = 3;
  expect(recordOf(contextOf({ counts }))).toMatchObject({ attempts: 3, refused_offers: 0 });
  counts.refusedOffers = 2;
  expect(recordOf(contextOf({ counts }))).toMatchObject({ attempts: 3, refused_offers: 2 });
});

test('a record has each offer with its times, even one that was open when the client disconnected', () => {
  const counts = new CompletionCounts({ stream: true, inputTokens: 7 });
  const context = contextOf({ counts });
  const at = (ms: number) => context.startedAt + ms;
  const offer = { workerName: undefined, target: 'own' };
  const refusal = { at: at(12), kind: 'refused', reason: 'full' };
  counts.addOffer({ ...offer, worker: 'w1', offeredAt: at(10), end: refusal });
  counts.addOffer({
    ...offer,
    worker: 'w2',
    workerName: 'gpu-2',
    offeredAt: at(13),
    end: undefined,
  });
  expect(recordOf(context)).toMatchObject({
    attempts: 2,
    target: 'own',
    offers: [
      { worker: 'w1', after_ms: 10, took_ms: 2, ended: 'refused', reason: 'full' },
      { worker: 'w2', worker_name: 'gpu-2', after_ms: 13, took_ms: 237, ended: 'left' },
    ],
  });
});

test('a record has the decision about the limits, and the scheduling of the organization', () => {
  const window = { limit: 60, remaining: 0.7, resetMs: 900 };
  const windows = {
    requests_per_minute: window,
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
  };
  const principal = testPrincipal({ scheduling: { weight: 2.5, scheduling_class: -1 } });
  const refusedBy = { limit: 'requests_per_minute', waitMs: 899.5 } as const;
  const admission = { tokens: 7, windows, refusedBy };
  expect(recordOf(contextOf({ principal, admission }))).toMatchObject({
    limits: {
      tokens: 7,
      windows: { requests_per_minute: [60, 0] },
      refused_by: 'requests_per_minute',
      wait_ms: 900,
    },
    scheduling_class: -1,
    weight: 2.5,
    status: null,
  });
});

test('usage is recorded only for a complete answer', () => {
  const usage = Buffer.from(
    JSON.stringify({
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    }),
  );
  const counts = new CompletionCounts({ stream: true, inputTokens: 7 });
  counts.usage = usage;
  const context = contextOf({ counts });
  expect(recordOf(context).usage).toBeNull();
  counts.finished = true;
  expect(recordOf(context).usage).toMatchObject({ input_tokens: 3, output_tokens: 2 });
});

test.each([
  [true, 3],
  [false, 0],
])('a cancelled answer counts the tokens that were sent (stream: %s)', (stream, delivered) => {
  const counts = new CompletionCounts({ stream, inputTokens: 7 });
  counts.pieces = 3;
  const context = contextOf({ counts });
  context.disconnect();
  expect(recordOf(context)).toMatchObject({ outcome: 'cancelled', delivered_tokens: delivered });
});

test.each([
  ['internal_error', 'failed'],
  ['upstream_unavailable', 'failed'],
  ['rate_limit_exceeded', 'refused'],
] as const)('a request with %s before its status has the outcome %s', (code, outcome) => {
  const failure = new ServiceError(code, 'It failed.');
  expect(recordOf(contextOf({ failure })).outcome).toBe(outcome);
});
