import { expect, test } from 'vitest';
import { Arrivals } from './arrivals.ts';

test('at each turn, as many requests arrive as the rate requires', () => {
  const arrivals = new Arrivals(2_000, 100);
  expect(arrivals.take(101)).toEqual([{ count: 2, since: 101 }]);
  expect(arrivals.take(102.4)).toEqual([{ count: 2, since: 102.4 }]);
  expect(arrivals.take(103.5)).toEqual([{ count: 3, since: 103.5 }]);
  expect(arrivals.take(103.6)).toEqual([]);
});

test('after a late turn, the wait of each request counts from its own step', () => {
  const arrivals = new Arrivals(1_000, 100);
  expect(arrivals.take(101)).toEqual([{ count: 1, since: 101 }]);
  expect(arrivals.take(105.5)).toEqual([
    { count: 1, since: 103 },
    { count: 1, since: 104 },
    { count: 1, since: 105 },
    { count: 1, since: 105.5 },
  ]);
  expect(arrivals.take(106.5)).toEqual([{ count: 1, since: 106.5 }]);
});
