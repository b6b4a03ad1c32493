import { monthOf, unitsOf } from '@sluice/contracts';
import { waitUntil } from '@sluice/devkit';
import type { CatalogBudgetsClient, ReadBudgetsReply } from '@sluice/rpc';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { BudgetKeeper } from '../src/budgets/budget-keeper.ts';
import { CatalogCopy } from '../src/budgets/catalog-copy.ts';
import { keepBudgets } from '../src/budgets/keep-budgets.ts';
import { readRecords } from '../src/ledger/read-records.ts';
import { migrate } from '../src/store/migrate.ts';
import { UsageStore } from '../src/store/usage-store.ts';
import { webhookSecret, webhookSignature } from '../src/webhooks/webhook-signature.ts';
import { describeDatabases, logger } from './describe-databases.ts';
import { NOON, requestOf } from './records.ts';
import { startReceiver } from './webhook-receiver.ts';

const KEY = 'a-key-of-usage-that-is-long-enough';
const MONTH = monthOf(NOON);
const usage = { input_tokens: 0, cached_tokens: 0, output_tokens: 1_000_000, reasoning_tokens: 0 };
/** Costs exactly 1. */
const ONE = { usage, model: 'large' };

const ThresholdEvent = z.object({ data: z.object({ month: z.string(), threshold: z.int() }) });

type Organization = ReadBudgetsReply['organizations'][number];

/** The catalog as usage sees it. */
function catalogOf(changes: Partial<Organization>) {
  const acme: Organization = {
    organization: 'acme',
    thresholds: [50, 80, 100],
    hard: true,
    webhooks: [],
    stop: null,
    deleted: false,
    monthly: '10',
    ...changes,
  };
  const prices = [{ from: '', input: '1', cachedInput: '', output: '1' }];
  let version = 0;
  const catalog = { acme, reachable: true, calls: 0 };
  const client: CatalogBudgetsClient = {
    readBudgets: async () => {
      if (!catalog.reachable) throw new Error('unreachable');
      version += 1;
      return {
        tag: String(version),
        models: [{ id: 'large', prices }],
        organizations: [{ ...catalog.acme }],
      };
    },
    setBudgetStop: async ({ stop }) => {
      catalog.calls += 1;
      const { month = '', monthly = '', spent = '' } = stop ?? {};
      catalog.acme = {
        ...catalog.acme,
        stop: stop === undefined || stop === null ? null : { month, monthly, spent },
      };
      return {};
    },
    [Symbol.dispose]: () => undefined,
  };
  return { catalog, client };
}

describeDatabases((database) => {
  /** With a function that records requests that cost 1 each. */
  async function openStore(wallClock: () => number = () => NOON) {
    await migrate(database());
    const store = new UsageStore(database(), { requestDays: 35, sumDays: 800 }, wallClock);
    let sequence = 0;
    const spend = async (copy: CatalogCopy, requests: number) => {
      await copy.known;
      const record = { ...ONE, received_at_ms: wallClock() };
      const records = Array.from({ length: requests }, (_, index) =>
        JSON.stringify(requestOf({ ...record, id: `r${sequence}-${index}` })),
      );
      const rows = readRecords(records, store.keptTimes(), copy.prices);
      const from = sequence === 0 ? undefined : sequence;
      sequence += 1;
      const to = { streamCreated: 'first', sequence, storedAtMs: NOON };
      await store.write({ stream: 'ledger', ...rows, from, to });
    };
    return { store, spend };
  }

  function keep(
    store: UsageStore,
    client: CatalogBudgetsClient,
    lag: () => number | undefined,
    // The moment of the records, and as time goes on.
    wallClock = () => NOON + Math.round(performance.now()),
  ) {
    const copy = new CatalogCopy(client);
    const keeper: BudgetKeeper = keepBudgets({
      store: Promise.resolve(store),
      client,
      catalog: copy,
      currency: 'EUR',
      webhookKey: KEY,
      privateNetworks: true,
      lagSeconds: lag,
      logger,
      wallClock,
      random: () => 0.5,
      firstRetryMs: 20,
    });
    return { keeper, copy };
  }

  it('each threshold is reported once to a receiver that fails at random, also after a restart', async () => {
    const { store, spend } = await openStore();
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    await using receiver = await startReceiver(
      () => [200, 204, 500, 0, 302][Math.floor(random() * 5)] ?? 500,
    );
    const { catalog, client } = catalogOf({
      hard: false,
      webhooks: [{ url: receiver.url, secretVersion: 1 }],
    });
    const taken = () => receiver.received.filter(({ status }) => status >= 200 && status < 300);
    const thresholds = () =>
      taken()
        .map(({ body }) => String(/"threshold":(\d+)/.exec(body)?.[1]))
        .toSorted();
    const first = keep(store, client, () => 0);
    await spend(first.copy, 5);
    await waitUntil(() => taken().length === 1, { what: 'the first threshold', timeoutMs: 30_000 });
    await spend(first.copy, 6);
    await first.keeper[Symbol.asyncDispose]();
    const second = keep(store, client, () => 0);
    await waitUntil(() => taken().length >= 3, { what: 'all thresholds', timeoutMs: 30_000 });
    catalog.acme = { ...catalog.acme, monthly: '12' };
    await spend(second.copy, 5);
    await waitUntil(() => second.keeper.ageSeconds < 1, { what: 'another decision' });
    await second.keeper[Symbol.asyncDispose]();
    expect(thresholds()).toEqual(['100', '50', '80']);
    const ids = new Map(
      receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]),
    );
    expect(ids.size).toBe(3);
    for (const { headers, body } of receiver.received) {
      const id = String(headers['webhook-id']);
      expect(ids.get(id)).toBe(body);
      const timestampS = Number(headers['webhook-timestamp']);
      const secret = webhookSecret(KEY, {
        organization: 'acme',
        url: receiver.url,
        secretVersion: 1,
      });
      expect(headers['webhook-signature']).toBe(webhookSignature(secret, { id, timestampS, body }));
    }
    const [fifty] = taken();
    expect(JSON.parse(fifty?.body ?? '')).toMatchObject({
      type: 'budget.threshold_reached',
      data: { organization: 'acme', month: MONTH, threshold: 50, budget: '10', currency: 'EUR' },
    });
    expect(catalog.calls).toBe(0);
  }, 90_000);

  it('a spent budget stops, and only complete tables lift it after a raise', async () => {
    const { store, spend } = await openStore();
    const { catalog, client } = catalogOf({});
    let lag: number | undefined = 0;
    const { keeper, copy } = keep(store, client, () => lag);
    await spend(copy, 9);
    await spend(copy, 1);
    await waitUntil(() => catalog.acme.stop, { what: 'the stop' });
    expect(catalog.acme.stop).toEqual({ month: MONTH, monthly: '10', spent: '10' });
    lag = undefined;
    catalog.acme = { ...catalog.acme, monthly: '11' };
    await waitUntil(() => keeper.ageSeconds > 2, { what: 'two decisions', timeoutMs: 10_000 });
    expect(catalog.acme.stop).not.toBeNull();
    lag = 0;
    await waitUntil(() => catalog.acme.stop === null, { what: 'the lift' });
    await keeper[Symbol.asyncDispose]();
  }, 30_000);

  it('a new month of UTC lifts a stop by itself, and its thresholds are reported again', async () => {
    const noon = new Date(NOON);
    const newMonth = Date.UTC(noon.getUTCFullYear(), noon.getUTCMonth() + 1, 1);
    const clock = { nowMs: newMonth - 1 };
    const { store, spend } = await openStore(() => clock.nowMs);
    await using receiver = await startReceiver(() => 204);
    const { catalog, client } = catalogOf({ webhooks: [{ url: receiver.url, secretVersion: 1 }] });
    const { keeper, copy } = keep(
      store,
      client,
      () => 0,
      () => clock.nowMs,
    );
    const reported = () =>
      receiver.received.map(({ body }) => ThresholdEvent.parse(JSON.parse(body)).data);
    const expectMonthOf = async (timeMs: number, total: number) => {
      await spend(copy, 10);
      await waitUntil(() => catalog.acme.stop !== null && reported().length >= total, {
        what: `the stop and ${total} webhooks`,
        timeoutMs: 20_000,
      });
      const month = monthOf(timeMs);
      expect(catalog.acme.stop).toEqual({ month, monthly: '10', spent: '10' });
      expect(
        reported()
          .slice(-3)
          .toSorted((one, other) => one.threshold - other.threshold),
      ).toEqual([50, 80, 100].map((threshold) => ({ month, threshold })));
      expect(reported()).toHaveLength(total);
    };
    await expectMonthOf(newMonth - 1, 3);
    clock.nowMs = newMonth;
    await waitUntil(() => catalog.acme.stop === null, { what: 'the lift', timeoutMs: 10_000 });
    await expectMonthOf(newMonth, 6);
    await keeper[Symbol.asyncDispose]();
  }, 60_000);

  it('while the catalog cannot be reached, prices of an earlier run are used', async () => {
    const { store } = await openStore();
    const { catalog, client } = catalogOf({});
    const first = keep(store, client, () => 0);
    await first.copy.known;
    await waitUntil(() => first.copy.organizations, { what: 'the catalog' });
    await first.keeper[Symbol.asyncDispose]();
    catalog.reachable = false;
    const second = keep(store, client, () => 0);
    await second.copy.known;
    const row = { received_ms: NOON, outcome: 'completed', cached_tokens: 0, input_tokens: 0 };
    const request = { ...row, model: 'large', output_tokens: 1_000_000 };
    expect(second.copy.prices.spendOf(request)).toBe(unitsOf('1'));
    expect(second.keeper.stopped).toBe(0);
    await second.keeper[Symbol.asyncDispose]();
  }, 30_000);
});
