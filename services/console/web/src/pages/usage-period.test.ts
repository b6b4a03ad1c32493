import { expect, test } from 'vitest';
import { groupStarts, spanOf } from './usage-period.ts';

const now = Date.UTC(2027, 2, 31, 14, 25);

test.each([
  ['day', 'hour', 24, '2027-03-30T15:00:00.000Z'],
  ['week', 'day', 7, '2027-03-25T00:00:00.000Z'],
  ['year', 'month', 12, '2026-04-01T00:00:00.000Z'],
] as const)(
  'The last %s has whole groups of UTC and ends with the present %s',
  (period, unit, count, first) => {
    const span = spanOf(period, now);
    const starts = groupStarts(span, unit);
    expect(starts).toHaveLength(count);
    expect(new Date(span.since).toISOString()).toBe(first);
    expect(span.until).toBeGreaterThan(now);
  },
);
