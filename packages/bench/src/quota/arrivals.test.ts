import { expect, test } from 'vitest';
import { Arrivals } from './arrivals.ts';

test('come together at each turn, as many as the rate says', () => {
  const arrivals = new Arrivals(2_000, 100);
  expect(arrivals.take(101)).toEqual({ count: 2, since: 101 });
  expect(arrivals.take(102.4)).toEqual({ count: 2, since: 102.4 });
  expect(arrivals.take(103.5)).toEqual({ count: 3, since: 103.5 });
  expect(arrivals.take(103.6)).toEqual({ count: 0, since: 103.6 });
});

test('wait when their turn comes late', () => {
  const arrivals = new Arrivals(1_000, 100);
  expect(arrivals.take(101)).toEqual({ count: 1, since: 101 });
  expect(arrivals.take(111)).toEqual({ count: 10, since: 103 });
  expect(arrivals.take(112)).toEqual({ count: 1, since: 112 });
});
