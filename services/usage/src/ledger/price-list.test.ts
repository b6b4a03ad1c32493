import { expect, it } from 'vitest';
import { PriceList } from './price-list.ts';

const list = new PriceList([
  {
    id: 'large',
    prices: [
      { input: '0.15', cached_input: '0.075', output: '0.6' },
      { from: '2027-02-01', input: '999999999.999999', output: '0.000001' },
    ],
  },
]);

const request = {
  received_ms: Date.UTC(2027, 0, 15),
  model: 'large',
  outcome: 'completed',
  input_tokens: 1_000_003,
  cached_tokens: 3,
  output_tokens: 7,
};

it('a request costs its tokens times their prices, exactly', () => {
  expect(list.spendOf(request)).toBe(1_000_000n * 150_000n + 3n * 75_000n + 7n * 600_000n);
  const later = { ...request, received_ms: Date.UTC(2027, 1, 1), input_tokens: 1e13 };
  expect(list.spendOf(later)).toBe(10_000_000_000_000n * 999_999_999_999_999n + 7n);
});

it.each([
  ['that was cancelled costs what was delivered', { outcome: 'cancelled' }, 150_004_425_000n],
  ['that failed costs nothing', { outcome: 'failed' }, 0n],
  ['without tokens costs nothing', { model: '', input_tokens: 0, output_tokens: 0 }, 0n],
  ['of a model without a price has no known cost', { model: 'small' }, null],
  ['cannot have more cached tokens than tokens', { input_tokens: 2, output_tokens: 0 }, 150_000n],
])('a request %s', (_, changes, spend) => {
  expect(list.spendOf({ ...request, ...changes })).toBe(spend);
});
