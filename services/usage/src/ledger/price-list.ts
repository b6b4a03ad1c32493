import { priceAt, type DatedPrice, type TokenPrice } from '@sluice/contracts';
import { DAY_MS } from '../store/partitions.ts';
import type { RequestRow } from '../store/rows.ts';

export interface PricedModel {
  readonly id: string;
  readonly prices: readonly DatedPrice[];
}

type PricedFields = Pick<
  RequestRow,
  'received_ms' | 'model' | 'outcome' | 'input_tokens' | 'cached_tokens' | 'output_tokens'
>;

/** The prices of all models at one time. After a change in the catalog, there is a new list. */
export class PriceList {
  readonly #prices: ReadonlyMap<string, readonly DatedPrice[]>;
  /**
   * Parsed prices by day and model. Parsing a decimal number costs more than the rest of `spendOf`. A new price begins
   * at 00:00 UTC, so a day has only one.
   */
  readonly #parsed = new Map<string, TokenPrice | undefined>();

  constructor(models: readonly PricedModel[]) {
    this.#prices = new Map(models.map(({ id, prices }) => [id, prices]));
  }

  /**
   * What a request costs, in units of 10⁻¹² of the currency, by the price that was valid when it was received. Null if
   * that price is not known. A request that failed or was refused costs nothing.
   */
  spendOf(request: PricedFields): bigint | null {
    const { outcome, input_tokens: input, output_tokens: output } = request;
    if (outcome === 'failed' || outcome === 'refused' || input + output === 0) return 0n;
    const price = this.#priceOf(request);
    if (price === undefined) return null;
    const cached = Math.min(request.cached_tokens, input);
    return (
      BigInt(input - cached) * price.input +
      BigInt(cached) * price.cachedInput +
      BigInt(output) * price.output
    );
  }

  #priceOf({ model, received_ms }: PricedFields): TokenPrice | undefined {
    const prices = this.#prices.get(model);
    if (prices === undefined) return undefined;
    const name = `${Math.floor(received_ms / DAY_MS)} ${model}`;
    if (!this.#parsed.has(name)) this.#parsed.set(name, priceAt(prices, received_ms));
    return this.#parsed.get(name);
  }
}

/** For a service that does not know the prices of any model. */
export const NO_PRICES = new PriceList([]);
