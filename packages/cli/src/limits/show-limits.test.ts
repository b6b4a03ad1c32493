import type { LimitWindows } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { limitsJson, limitsTable } from './show-limits.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const windows = (requests_per_minute: LimitWindows['requests_per_minute']): LimitWindows => ({
  requests_per_minute,
  requests_per_day: { limit: 2_000, remaining: 2_000, resetMs: 60 * MINUTE_MS },
  tokens_per_minute: null,
  tokens_per_day: null,
});

test('the rest of each limit is shown; an unused limit is full now', () => {
  const text = limitsTable(windows({ limit: 60, remaining: 59, resetMs: SECOND_MS }));
  const [, ...rows] = text.split('\n').map((row) => row.split(/ {2,}/));
  expect(rows).toEqual([
    ['requests a minute', '60', '59', 'in 1 s'],
    ['requests a day (UTC)', '2000', '2000', 'now'],
    ['tokens a minute', 'unlimited', '-', '-'],
    ['tokens a day (UTC)', 'unlimited', '-', '-'],
  ]);
});

test.each([
  [1, 'in 1 s'],
  [119 * SECOND_MS, 'in 119 s'],
  [119 * SECOND_MS + 1, 'in 2 min'],
  [119 * MINUTE_MS, 'in 119 min'],
  [119 * MINUTE_MS + 1, 'in 2 h 0 min'],
  [1_439 * MINUTE_MS + 1, 'in 24 h 0 min'],
  [755 * MINUTE_MS, 'in 12 h 35 min'],
])('%d ms are shown as %j, and rounded up', (resetMs, wait) => {
  const text = limitsTable(windows({ limit: 60, remaining: 0, resetMs }));
  expect(text.split('\n')[1]?.split(/ {2,}/).at(-1)).toBe(wait);
});

test('the JSON has seconds, and null without a limit', () => {
  const text = limitsJson('acme', windows({ limit: 60, remaining: 59, resetMs: 1_500 }));
  expect(text).toMatchObject({
    organization: 'acme',
    limits: {
      requests_per_minute: { limit: 60, remaining: 59, reset_seconds: 1.5 },
      tokens_per_day: null,
    },
  });
});
