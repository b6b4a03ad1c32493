import type { DatedPrice } from '@sluice/contracts';
import { RpcError, type CatalogBudgetsClient, type ReadBudgetsReply } from '@sluice/rpc';
import * as z from 'zod';
import { NO_PRICES, PriceList, type PricedModel } from '../ledger/price-list.ts';
import { select, type Queryable } from '../store/database.ts';

/** What the catalog says about an organization. */
export type OrganizationBudget = ReadBudgetsReply['organizations'][number];

/** A copy of the prices, budgets and stops of the catalog. Prices are also stored in the tables. */
export class CatalogCopy {
  readonly #client: Pick<CatalogBudgetsClient, 'readBudgets'>;
  readonly #known = Promise.withResolvers<void>();
  #tag = '';
  #loaded = false;
  #prices = NO_PRICES;
  #organizations: readonly OrganizationBudget[] | undefined;

  constructor(client: Pick<CatalogBudgetsClient, 'readBudgets'>) {
    this.#client = client;
  }

  /** Resolves when prices are known. A request that was written earlier would never get a price. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  get prices(): PriceList {
    return this.#prices;
  }

  /** Undefined until the catalog has answered for the first time. */
  get organizations(): readonly OrganizationBudget[] | undefined {
    return this.#organizations;
  }

  organization(id: string): OrganizationBudget | undefined {
    return this.#organizations?.find(({ organization }) => organization === id);
  }

  /** Loads the prices that an earlier run has stored, in case the catalog cannot be reached. */
  async load(database: Queryable): Promise<void> {
    if (this.#loaded) return;
    const [row] = await select(database, KeptRow, 'SELECT models FROM known_prices WHERE id = 1');
    this.#loaded = true;
    if (row !== undefined) this.#setPrices(KeptModels.parse(JSON.parse(row.models)));
  }

  /** Asks the catalog. Rejects with an RpcError if it does not answer. */
  async refresh(database: Queryable): Promise<void> {
    const reply = await this.#ask();
    if (reply === 'not implemented') {
      this.#known.resolve();
      return;
    }
    if (reply.tag === this.#tag) return;
    const models = reply.models.map(pricedModel);
    await database.query(
      `INSERT INTO known_prices VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET models = excluded.models`,
      [JSON.stringify(models)],
    );
    this.#setPrices(models);
    this.#organizations = reply.organizations;
    this.#tag = reply.tag;
  }

  async #ask(): Promise<ReadBudgetsReply | 'not implemented'> {
    try {
      return await this.#client.readBudgets({ knownTag: this.#tag });
    } catch (error) {
      // A catalog of version 0.2.0 has neither prices nor budgets. If a newer replica beside it has answered before,
      // the prices of that answer stay in use.
      const isOld = error instanceof RpcError && error.code === 'unimplemented';
      if (isOld && this.#prices === NO_PRICES) return 'not implemented';
      throw error;
    }
  }

  #setPrices(models: readonly PricedModel[]): void {
    this.#prices = new PriceList(models);
    this.#known.resolve();
  }
}

const KeptRow = z.object({ models: z.string() });
const KeptModels = z.array(
  z.object({
    id: z.string(),
    prices: z.array(
      z.object({
        from: z.string().optional(),
        input: z.string(),
        cached_input: z.string().optional(),
        output: z.string(),
      }),
    ),
  }),
);

function pricedModel({ id, prices }: ReadBudgetsReply['models'][number]): PricedModel {
  return {
    id,
    prices: prices.map(({ from, input, cachedInput, output }): DatedPrice => ({
      input,
      output,
      ...(from !== '' && { from }),
      ...(cachedInput !== '' && { cached_input: cachedInput }),
    })),
  };
}
