import { expect, test } from 'vitest';
import { formatDuration, formatMoney } from './numbers.ts';

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [180_000_000, '2 d 2 h'],
])('%i ms are %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test('A spend below a cent is not shown as nothing', () => {
  expect(formatMoney('0.000012', null)).toContain('000012');
});
