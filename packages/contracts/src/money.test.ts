import { expect, it } from 'vitest';
import { decimalOf, Price, roundedAmount, unitsOf } from './money.ts';

it.each([
  ['0', 0n],
  ['0.1', 100_000_000_000n],
  ['1.5', 1_500_000_000_000n],
  ['0.000000000001', 1n],
  ['999999999999.999999', 999_999_999_999_999_999_000_000n],
])('%s is exact in units, and back', (decimal, units) => {
  expect(unitsOf(decimal)).toBe(units);
  expect(decimalOf(units)).toBe(decimal);
});

it.each([
  ['1.004999999999', '1.00'],
  ['1.005', '1.01'],
  ['0.999', '1.00'],
])('%s is shown as %s', (decimal, shown) => {
  expect(roundedAmount(decimal)).toBe(shown);
});

it.each(['.5', '1.', '01', '-1', '1e3', '0.1234567', '1,5', ' 1', ''])(
  'a price is not written as "%s"',
  (text) => {
    expect(Price.safeParse(text).success).toBe(false);
  },
);
