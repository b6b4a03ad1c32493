import type { LedgerRecord } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { RequestJoin } from './joined-requests.ts';
import { attemptOf, requestOf } from './ledger-fixture.ts';
import { UsageTally, type Grouping, type UsageReport } from './sum-usage.ts';

const DAY_MS = 86_400_000;
const usage = { input_tokens: 0, cached_tokens: 0, output_tokens: 12, reasoning_tokens: 5 };

const at = requestOf().received_at_ms;
const records = [
  requestOf(),
  attemptOf(),
  requestOf({ id: 'request2', organization: 'zeta', outcome: 'failed', model: null }),
  requestOf({ id: 'request3', operation: 'models', usage: null, delivered_tokens: 0 }),
  attemptOf({ id: 'lost-1', request: 'lost', reason: 'gateway_silent', generated_tokens: 30 }),
  requestOf({ id: 'request4', received_at_ms: at + DAY_MS, credential: 'key2' }),
];

function report(by: Grouping, of: readonly LedgerRecord[] = records): UsageReport {
  const tally = new UsageTally(by);
  const join = new RequestJoin({ sinceMs: 0, onRequest: (request) => tally.add(request) });
  for (const record of of) join.add(record, at);
  join.finish(at + 2 * DAY_MS);
  return tally.report();
}

test('sums are those of the groups', () => {
  const { groups, total } = report('organization');
  expect(groups.map(({ name, sums }) => [name, sums.requests])).toEqual([
    ['acme', 4],
    ['zeta', 1],
  ]);
  expect(total.sums).toEqual({
    requests: 5,
    completed: 3,
    cancelled: 0,
    failed: 1,
    refused: 0,
    abandoned: 1,
    attempts: 2,
    input_tokens: 9,
    cached_tokens: 3,
    output_tokens: 36,
    reasoning_tokens: 10,
    wasted_tokens: 30,
  });
});

test.each<[Grouping, string[]]>([
  ['project', ['app']],
  ['key', ['-', 'key1', 'key2']],
  ['model', ['-', 'large']],
  ['day', ['2026-01-02', '2026-01-03']],
  ['target', ['- default', 'large -', 'large default']],
  ['operation', ['completions', 'models']],
])('by %s', (by, names) => {
  const { groups, total } = report(by);
  expect(groups.map(({ name }) => name)).toEqual(names);
  const counted = groups.reduce((sum, { sums }) => sum + sums.requests, 0);
  expect(counted).toBe(total.sums.requests);
});

test('the error of the estimate is that of what the runtimes counted, and of nothing else', () => {
  const counted = (id: string, input: number, model = 'large') =>
    requestOf({ id, model, estimated_input_tokens: 100, usage: { ...usage, input_tokens: input } });
  const { groups, total } = report('model', [
    counted('a', 130),
    counted('b', 90),
    counted('c', 50, 'small'),
    requestOf({ id: 'd', estimated_input_tokens: 500, usage: null, outcome: 'failed' }),
    attemptOf({ id: 'lost-1', request: 'lost', model: 'tiny', reason: 'gateway_silent' }),
  ]);
  expect(groups.map(({ name, estimateError }) => [name, estimateError])).toEqual([
    ['large', expect.closeTo(0.1, 10)],
    ['small', expect.closeTo(-0.5, 10)],
    ['tiny', undefined],
  ]);
  expect(total.estimateError).toBeCloseTo(-0.1, 10);
});
