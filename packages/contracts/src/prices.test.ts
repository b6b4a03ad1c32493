import { describe, expect, it } from 'vitest';
import { priceAt, Prices } from './prices.ts';

const raised = Prices.parse([
  { input: '0.15', output: '0.6' },
  { from: '2027-02-01', input: '0.3', cached_input: '0.000001', output: '1' },
]);

describe('the price of a token', () => {
  it('changes at 00:00 UTC of its day', () => {
    const midnight = Date.UTC(2027, 1, 1);
    expect(priceAt(raised, midnight - 1)).toEqual({
      input: 150_000n,
      cachedInput: 150_000n,
      output: 600_000n,
    });
    expect(priceAt(raised, midnight)).toEqual({
      input: 300_000n,
      cachedInput: 1n,
      output: 1_000_000n,
    });
  });

  it('is unknown before the first one is valid', () => {
    expect(priceAt(raised.slice(1), Date.UTC(2027, 0, 31))).toBeUndefined();
  });
});

it.each([
  ['none', []],
  ['two of the same day', [raised[1], raised[1]]],
  ['a later one that is valid always', [raised[0], raised[0]]],
  ['a number that is not text', [{ input: 0.15, output: '1' }]],
  ['a day that does not exist', [{ from: '2027-02-30', input: '1', output: '1' }]],
])('prices with %s are refused', (_, prices) => {
  expect(Prices.safeParse(prices).success).toBe(false);
});
