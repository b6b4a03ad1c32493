import { expect, test } from 'vitest';
import { drawOrganizations } from './organizations.ts';

test('organizations are drawn with the frequencies of the law of Zipf', () => {
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const counts = new Map<number, number>();
  for (const index of drawOrganizations(100, random)) {
    counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  const first = counts.get(0) ?? 0;
  expect(first / (counts.get(1) ?? 0)).toBeCloseTo(2, 0);
  expect(first / (counts.get(9) ?? 0)).toBeGreaterThan(8);
  expect(counts.size).toBe(100);
});

test('a single organization is always drawn', () => {
  expect(new Set(drawOrganizations(1, Math.random))).toEqual(new Set([0]));
});
