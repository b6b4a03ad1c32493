import type { SumUsageReply } from '@sluice/rpc';
import { expect, test } from 'vitest';
import { PLAIN_SCREEN } from '../screen.ts';
import { usageJson, usageNotes, usageTable } from './show-usage.ts';

const NOON = Date.UTC(2027, 0, 2, 12);

const sums: NonNullable<SumUsageReply['total']> = {
  requests: 3,
  completed: 2,
  cancelled: 0,
  failed: 1,
  refused: 0,
  inputTokens: 110,
  cachedTokens: 10,
  outputTokens: 40,
  reasoningTokens: 5,
  deliveredTokens: 40,
  estimatedTokens: 100,
  countedTokens: 110,
  attempts: 3,
  generatedTokens: 47,
  spend: '0.125',
  unpriced: 0,
};

const reply: SumUsageReply = {
  groups: [{ names: ['', '2027-01-02T00:00:00Z'], sums }],
  total: sums,
  sinceMs: NOON,
  untilMs: NOON + 3_600_000,
  groupsLeftOut: 2,
  freshness: { unreadMessages: 4, lagSeconds: 1 },
  currency: 'EUR',
};

test('a table has a row for each group, the total, and the error of estimates by model', () => {
  expect(usageTable({ by: ['model', 'day'], reply }, PLAIN_SCREEN).split('\n')).toEqual([
    'MODEL  DAY                   REQUESTS  COMPLETED  FAILED  REFUSED  CANCELLED  INPUT  OUTPUT  SPEND  ESTIMATE ERROR  WASTED  CACHED  REASONING  ATTEMPTS',
    '-      2027-01-02T00:00:00Z         3          2       1        0          0    110      40   0.13         +10.0 %       7      10          5         3',
    'total                               3          2       1        0          0    110      40   0.13         +10.0 %       7      10          5         3',
  ]);
});

test('wasted tokens are not known by key, because attempts have no key', () => {
  const byKey = { ...reply, groups: [{ names: ['key1'], sums }] };
  expect(usageJson({ by: ['key'], reply: byKey })).toMatchObject({
    groups: [{ key: 'key1', requests: 3, spend: '0.125', wasted_tokens: null }],
  });
});

test('notes say what is left out, and what is not summed up yet', () => {
  expect(usageNotes(reply)).toEqual([
    '2 more groups; --top N shows more',
    '4 messages of the ledger are still to be summed up',
  ]);
  expect(usageNotes({ ...reply, groupsLeftOut: 0, freshness: null })).toHaveLength(1);
});
