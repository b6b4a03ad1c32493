import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ServiceError } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { CompletionTally } from '../domain/completion-tally.ts';
import { principalOf } from '../domain/principal-fixture.ts';
import { Exchange } from './exchange.ts';
import { requestRecord } from './request-record.ts';

function exchangeOf(change: Partial<Exchange> = {}): Exchange {
  const request = new IncomingMessage(new Socket());
  request.method = 'POST';
  const exchange = new Exchange({
    request,
    response: new ServerResponse(request),
    operation: 'completions',
  });
  return Object.assign(exchange, {
    principal: principalOf({ organization: 'acme', project: 'chat', credentialId: 'key1' }),
    tally: new CompletionTally({ stream: true, inputTokens: 7 }),
    ...change,
  });
}

function recordOf(exchange: Exchange) {
  return requestRecord(exchange, {
    gateway: 'gateway1',
    now: exchange.startedAt + 250,
    wallNow: 1_700_000_000_250,
  });
}

test('a record says whose request it was, when it came, and how long each part took', () => {
  const exchange = exchangeOf();
  if (exchange.tally !== undefined) exchange.tally.firstPieceAt = exchange.startedAt + 100;
  expect(recordOf(exchange)).toMatchObject({
    organization: 'acme',
    project: 'chat',
    credential: 'key1',
    estimated_input_tokens: 7,
    received_at_ms: 1_700_000_000_000,
    first_token_ms: 100,
    duration_ms: 250,
  });
});

test('a record says how many offers were refused, if any were', () => {
  const tally = new CompletionTally({ stream: true, inputTokens: 7 });
  tally.offers = 3;
  expect(recordOf(exchangeOf({ tally }))).toMatchObject({ attempts: 3 });
  expect(recordOf(exchangeOf({ tally }))).not.toHaveProperty('refused_offers');
  tally.refusedOffers = 2;
  expect(recordOf(exchangeOf({ tally }))).toMatchObject({ attempts: 3, refused_offers: 2 });
});

test('a usage counts once the whole answer is there', () => {
  const usage = Buffer.from(
    JSON.stringify({
      prompt_tokens: 3,
      completion_tokens: 2,
      total_tokens: 5,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    }),
  );
  const tally = new CompletionTally({ stream: true, inputTokens: 7 });
  tally.usage = usage;
  const exchange = exchangeOf({ tally });
  expect(recordOf(exchange).usage).toBeNull();
  tally.finished = true;
  expect(recordOf(exchange).usage).toMatchObject({ input_tokens: 3, output_tokens: 2 });
});

test.each([
  [true, 3],
  [false, 0],
])(
  'of an answer that its client did not wait for, what was sent counts (stream: %s)',
  (stream, delivered) => {
    const tally = new CompletionTally({ stream, inputTokens: 7 });
    tally.pieces = 3;
    const exchange = exchangeOf({ tally });
    exchange.leave();
    expect(recordOf(exchange)).toMatchObject({ outcome: 'cancelled', delivered_tokens: delivered });
  },
);

test.each([
  ['internal_error', 'failed'],
  ['upstream_unavailable', 'failed'],
  ['rate_limit_exceeded', 'refused'],
] as const)('%s before a status has %s', (code, outcome) => {
  const failure = new ServiceError(code, 'It is not to be had.');
  expect(recordOf(exchangeOf({ failure })).outcome).toBe(outcome);
});
