import { expect, test } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

test('bytes are limited per organization and in total, and released bytes can be reserved again', () => {
  const budget = new ByteBudget({ maxBytes: 150, maxBytesPerOrganization: 100 });
  expect(budget.reserve('a', 60)).toBe(true);
  expect(budget.reserve('a', 41)).toBe(false);
  expect(budget.reserve('a', 40)).toBe(true);
  expect(budget.reserve('b', 51)).toBe(false);
  expect(budget.reserve('b', 50)).toBe(true);
  expect(budget.bytes).toBe(150);
  budget.release('a', 60);
  expect(budget.reserve('b', 50)).toBe(true);
  expect(budget.reserve('b', 1)).toBe(false);
  budget.release('a', 40);
  budget.release('b', 100);
  expect(budget.bytes).toBe(0);
  expect(budget.reserve('a', 100)).toBe(true);
});
