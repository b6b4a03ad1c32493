import { expect, test } from 'vitest';
import { RequestJoin } from './joined-requests.ts';
import { attemptOf, requestOf } from './ledger-fixture.ts';
import { sumUsage, type Grouping } from './sum-usage.ts';

const DAY_MS = 86_400_000;

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
