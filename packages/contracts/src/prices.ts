import * as z from 'zod';
import { Price, unitsOf } from './money.ts';

const TOKENS_PER_PRICE = 1_000_000n;
const MAX_PRICES = 100;

const DatedPrice = z.strictObject({
  from: z.iso
    .date()
    .optional()
    .describe(
      'Valid from 00:00 UTC of this day. The first price may leave it out: it is then always valid.',
    ),
  input: Price.describe('Of a million input tokens.'),
  cached_input: Price.optional().describe(
    'Of a million input tokens that the runtime had in its cache. Default: the price of input.',
  ),
  output: Price.describe('Of a million output tokens, reasoning included.'),
});
export type DatedPrice = z.infer<typeof DatedPrice>;

/** The prices of a model, the oldest first. Each is valid until the next one. */
export const Prices = z
  .array(DatedPrice)
  .min(1)
  .max(MAX_PRICES)
  .superRefine((prices, context) => {
    for (const [index, { from }] of prices.entries()) {
      if (index === 0) continue;
      const before = prices[index - 1]?.from ?? '';
      if (from !== undefined && from > before) continue;
      const message = 'must be a later day than that of the price before it';
      context.addIssue({ code: 'custom', path: [index, 'from'], message });
    }
  });
export type Prices = z.infer<typeof Prices>;

/** The price of one token, in units of money. */
export interface TokenPrice {
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly output: bigint;
}

/** The price that is valid at a time. Undefined if the first price is not valid yet. */
export function priceAt(prices: readonly DatedPrice[], timeMs: number): TokenPrice | undefined {
  const day = new Date(timeMs).toISOString().slice(0, 10);
  const price = prices.findLast(({ from }) => from === undefined || from <= day);
  if (price === undefined) return undefined;
  return {
    input: perToken(price.input),
    cachedInput: perToken(price.cached_input ?? price.input),
    output: perToken(price.output),
  };
}

function perToken(price: string): bigint {
  return unitsOf(price) / TOKENS_PER_PRICE;
}
