import { expect, test } from 'vitest';
import { RequestJoin } from './joined-requests.ts';
import { attemptOf, requestOf } from './ledger-fixture.ts';
import { estimateError, sumUsage, type Grouping } from './sum-usage.ts';

const DAY_MS = 86_400_000;
const usage = { input_tokens: 0, cached_tokens: 0, output_tokens: 12, reasoning_tokens: 5 };

function requests() {
  const join = new RequestJoin();
  const at = requestOf().received_at_ms;
  join.add(requestOf());
  join.add(attemptOf());
  join.add(requestOf({ id: 'request2', organization: 'zeta', outcome: 'failed', model: null }));
  join.add(requestOf({ id: 'request3', operation: 'models', usage: null, delivered_tokens: 0 }));
  join.add(
    attemptOf({ id: 'lost-1', request: 'lost', reason: 'gateway_silent', generated_tokens: 30 }),
  );
  join.add(requestOf({ id: 'request4', received_at_ms: at + DAY_MS, credential: 'key2' }));
  return join.result({ sinceMs: 0, nowMs: at + 2 * DAY_MS }).requests;
}

test('sums are those of the groups', () => {
  const { groups, total } = sumUsage(requests(), 'organization');
  expect(groups.map(({ name, sums }) => [name, sums.requests])).toEqual([
    ['acme', 4],
    ['zeta', 1],
  ]);
  expect(total).toEqual({
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
  ['operation', ['completions', 'models']],
])('by %s', (by, names) => {
  const { groups, total } = sumUsage(requests(), by);
  expect(groups.map(({ name }) => name)).toEqual(names);
  const counted = groups.reduce((sum, { sums }) => sum + sums.requests, 0);
  expect(counted).toBe(total.requests);
});

test('the error of the estimate is that of what the runtimes counted, and of nothing else', () => {
  const join = new RequestJoin();
  join.add(requestOf({ estimated_input_tokens: 100, usage: { ...usage, input_tokens: 130 } }));
  join.add(
    requestOf({ id: 'b', estimated_input_tokens: 100, usage: { ...usage, input_tokens: 90 } }),
  );
  join.add(requestOf({ id: 'c', estimated_input_tokens: 500, usage: null, outcome: 'failed' }));
  join.add(attemptOf({ id: 'lost-1', request: 'lost', reason: 'gateway_silent' }));
  const { requests: joined } = join.result({ sinceMs: 0, nowMs: Date.UTC(2026, 0, 3) });
  expect(estimateError(joined)).toBeCloseTo(0.1, 10);
  expect(estimateError([])).toBeUndefined();
});
