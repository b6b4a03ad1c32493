import type { RequestRecord } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { PriceList } from '../src/ledger/price-list.ts';
import { readRecords } from '../src/ledger/read-records.ts';
import { explainRequest } from '../src/queries/explain-request.ts';
import { lastUses } from '../src/queries/last-uses.ts';
import { listRequests, type RequestQuery } from '../src/queries/list-requests.ts';
import { SUMS, sumUsage, type UsageQuery } from '../src/queries/sum-usage.ts';
import { migrate } from '../src/store/migrate.ts';
import { MIGRATIONS } from '../src/store/migrations.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../src/store/partitions.ts';
import { PositionMovedError } from '../src/store/positions.ts';
import { UsageStore } from '../src/store/usage-store.ts';
import { describeDatabases } from './describe-databases.ts';
import { attemptOf, NOON, requestOf } from './records.ts';

const EVERY_REQUEST: RequestQuery = {
  organization: '',
  project: '',
  credential: '',
  model: '',
  worker: '',
  outcomes: [],
  codes: [],
  statuses: [],
  sinceMs: undefined,
  untilMs: undefined,
  limit: 50,
  after: undefined,
  afterArrival: undefined,
};

const WHOLE_DAY: UsageQuery = {
  by: [],
  organization: '',
  project: '',
  credential: '',
  model: '',
  sinceMs: dayOf(NOON),
  untilMs: dayOf(NOON) + DAY_MS,
  sort: undefined,
  limit: 100,
  hoursFromMs: 0,
};

const NOTHING = { ...Object.fromEntries(SUMS.map((name) => [name, 0])), spend: '0' };

describeDatabases((database) => {
  async function open(requestDays = 35, clock = () => NOON): Promise<UsageStore> {
    await migrate(database());
    return new UsageStore(database(), { requestDays, sumDays: 800 }, clock);
  }

  /** Writes records as the next message of a stream. */
  async function write(
    store: UsageStore,
    records: readonly object[],
    place: { created?: string; sequence?: number; from?: number; prices?: PriceList } = {},
  ): Promise<void> {
    const { created = 'first', sequence = 1, prices } = place;
    const { from = sequence - 1 } = place;
    const { requests, attempts } = readRecords(
      records.map((record) => JSON.stringify(record)),
      store.keptTimes(),
      prices,
    );
    await store.write({
      stream: 'ledger',
      requests,
      attempts,
      from: from === 0 ? undefined : from,
      to: { streamCreated: created, sequence, storedAtMs: NOON },
    });
  }

  const idsOf = async (query: Partial<RequestQuery> = {}) => {
    const { requests } = await listRequests(database(), { ...EVERY_REQUEST, ...query });
    return requests.map(({ id }) => id);
  };

  const totalOf = async (query: Partial<UsageQuery> = {}) => {
    const { total } = await sumUsage(database(), { ...WHOLE_DAY, ...query });
    return total;
  };

  describe('migrations', () => {
    it('run once, also if two processes start at the same time', async () => {
      const versions = await Promise.all([migrate(database()), migrate(database())]);
      expect(versions).toEqual([MIGRATIONS.length, MIGRATIONS.length]);
      const rows = await database().query('SELECT version FROM migrations ORDER BY version');
      expect(rows).toHaveLength(MIGRATIONS.length);
    });

    it('undo a step that fails', async () => {
      const broken = [...MIGRATIONS, 'CREATE TABLE added (id text); SELECT 1 / 0'];
      await expect(migrate(database(), broken)).rejects.toThrow(/division by zero/);
      const rows = await database().query("SELECT to_regclass('added') AS added");
      expect(rows).toEqual([{ added: null }]);
    });

    it('let this version write beside the next one', async () => {
      const store = await open();
      const next = [...MIGRATIONS, "ALTER TABLE requests ADD COLUMN host text NOT NULL DEFAULT ''"];
      expect(await migrate(database(), next)).toBe(MIGRATIONS.length + 1);
      expect(await migrate(database())).toBe(MIGRATIONS.length + 1);
      await write(store, [requestOf(), attemptOf()]);
      expect(await idsOf()).toEqual(['request1']);
    });
  });

  it('records that were written before prices were known have no known price', async () => {
    await migrate(database(), MIGRATIONS.slice(0, 1));
    await database().query(
      `INSERT INTO usage_hourly VALUES (${NOON}, 'acme', 'app', 'key1', 'large', 'default',
         1, 1, 0, 0, 0, 3, 1, 12, 5, 12, 4, 3, 1, 12)`,
    );
    const store = await open();
    await write(store, [requestOf()]);
    expect(await totalOf()).toMatchObject({ requests: 2, spend: '0', unpriced: 1 });
  });

  describe('records', () => {
    it('are counted once, even if they come again or in another stream', async () => {
      const store = await open();
      const records = [requestOf(), attemptOf(), requestOf({ id: 'request2' })];
      await write(store, [...records, ...records]);
      const once = await totalOf();
      expect(once).toMatchObject({ requests: 2, completed: 2, attempts: 1, outputTokens: 24 });
      await write(store, records, { sequence: 2 });
      await write(store, records, { created: 'again' });
      expect(await totalOf()).toEqual(once);
      expect(await idsOf()).toEqual(['request2', 'request1']);
    });

    it('and the position are written together or not at all', async () => {
      const store = await open();
      await write(store, [requestOf()], { sequence: 7, from: 0 });
      const late = write(store, [requestOf({ id: 'late' })], { sequence: 9, from: 6 });
      await expect(late).rejects.toThrow(PositionMovedError);
      const twice = write(store, [requestOf({ id: 'twice' })], { sequence: 8, from: 0 });
      await expect(twice).rejects.toThrow(PositionMovedError);
      expect(await idsOf()).toEqual(['request1']);
      expect(await totalOf()).toMatchObject({ requests: 1 });
      expect(await store.positions('ledger')).toEqual([
        { streamCreated: 'first', sequence: 7, storedAtMs: NOON },
      ]);
      expect(await store.positions('refusals')).toEqual([]);
    });

    it('are removed after their days, and stay in the sums of days', async () => {
      let now = NOON;
      const store = await open(2, () => now);
      await write(store, [requestOf(), attemptOf()]);
      expect(await store.removeOld()).toEqual([]);
      now = NOON + 3 * DAY_MS;
      expect(await store.removeOld()).toHaveLength(2);
      expect(await idsOf()).toEqual([]);
      expect(await totalOf()).toMatchObject({ requests: 1, attempts: 1 });
      // Read again, the record of a removed row does not count twice.
      await write(store, [requestOf()], { sequence: 2 });
      expect(await totalOf()).toMatchObject({ requests: 1, attempts: 1 });
    });
  });

  describe('a request', () => {
    it('is explained with its attempts', async () => {
      const store = await open();
      const failed = attemptOf({ ended: 'failed', reason: 'stalled', accepted_at_ms: NOON + 1 });
      const second = attemptOf({
        id: 'request1-2',
        worker: 'worker2',
        worker_name: 'gpu-2',
        host: 'machine-2',
        runtime: 'http://127.0.0.1:8000',
        accepted_at_ms: NOON + 9,
      });
      const details = {
        limits: { tokens: 4, windows: { tokens_per_day: [900, 896] } },
        offers: [{ worker: 'worker1', target: 'own', after_ms: 1, took_ms: 8, ended: 'failed' }],
        weight: 2.5,
      } satisfies Partial<RequestRecord>;
      const other = attemptOf({ id: 'request10-1', request: 'request10' });
      await write(store, [
        second,
        requestOf({ attempts: 2, status: 502, ...details }),
        failed,
        other,
      ]);
      const { first_token_ms: _, ...rest } = requestOf();
      await write(store, [requestOf({ ...rest, id: 'early', first_token_ms: null })], {
        sequence: 2,
      });
      expect(await explainRequest(database(), 'request1')).toMatchObject({
        request: { id: 'request1', organization: 'acme', offers: 2, inputTokens: 3, status: 502 },
        details,
        attempts: [
          { id: 'request1-1', ended: 'failed', reason: 'stalled', workerName: 'worker1', host: '' },
          { id: 'request1-2', ended: 'finished', workerName: 'gpu-2', host: 'machine-2' },
        ],
      });
      expect(await explainRequest(database(), 'early')).toMatchObject({
        request: { firstTokenMs: null, status: null },
        details: {},
        attempts: [],
      });
      expect(await explainRequest(database(), 'unknown')).toBeUndefined();
    });

    it('is found by its organization, key, model, worker, outcome, status and time', async () => {
      const store = await open();
      await write(store, [
        requestOf({ id: 'a', received_at_ms: NOON + 1, status: 200 }),
        requestOf({ id: 'b', organization: 'zeta', outcome: 'failed', code: 'internal_error' }),
        requestOf({ id: 'c', credential: 'key2', model: null, received_at_ms: NOON + 2 }),
        attemptOf({ id: 'b-1', request: 'b', worker: 'worker2', worker_name: 'gpu-2' }),
      ]);
      expect(await idsOf()).toEqual(['c', 'a', 'b']);
      expect(await idsOf({ organization: 'zeta' })).toEqual(['b']);
      expect(await idsOf({ credential: 'key2', project: 'app' })).toEqual(['c']);
      expect(await idsOf({ model: 'large' })).toEqual(['a', 'b']);
      expect(await idsOf({ outcomes: ['failed', 'refused'] })).toEqual(['b']);
      expect(await idsOf({ codes: ['internal_error'] })).toEqual(['b']);
      expect(await idsOf({ sinceMs: NOON + 1, untilMs: NOON + 2 })).toEqual(['a']);
      expect(await idsOf({ statuses: [200, 429] })).toEqual(['a']);
      const onWorker = { worker: 'gpu-2', sinceMs: NOON, untilMs: NOON + 1 };
      expect(await idsOf(onWorker)).toEqual(['b']);
    });

    it('is listed on one page only, and once to a caller that follows new requests', async () => {
      const store = await open();
      const ids = ['a', 'b', 'c', 'd', 'e'];
      await write(
        store,
        ids.map((id) => requestOf({ id })),
      );
      const query = { ...EVERY_REQUEST, limit: 2 };
      const first = await listRequests(database(), query);
      const second = await listRequests(database(), { ...query, after: first.next });
      const third = await listRequests(database(), { ...query, after: second.next });
      const pages = [first, second, third].map(({ requests }) => requests.map(({ id }) => id));
      expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
      expect(third.next).toBeUndefined();

      // Received before the others, and known after them.
      await write(store, [requestOf({ id: 'slow', received_at_ms: NOON - 1 })], { sequence: 2 });
      const later = await listRequests(database(), { ...query, afterArrival: first.arrival });
      expect(later.requests.map(({ id }) => id)).toEqual(['slow']);
      const none = await listRequests(database(), { ...query, afterArrival: later.arrival });
      expect(none.requests).toEqual([]);
      expect(none.arrival).toBe(later.arrival);
    });
  });

  it('knows when a key was last used, also once the request is removed', async () => {
    let now = NOON;
    const store = await open(2, () => now);
    const used = (id: string, credential: string, received_at_ms: number) =>
      requestOf({ id, credential, received_at_ms });
    await write(store, [
      used('a', 'key1', NOON),
      used('b', 'key1', NOON + 9),
      used('c', 'key2', NOON),
    ]);
    const credentials = ['key2', 'unused', 'key1'];
    expect(await lastUses(database(), credentials)).toEqual([
      { credential: 'key2', lastUsedAtMs: NOON },
      { credential: 'key1', lastUsedAtMs: NOON + 9 },
    ]);
    now = NOON + 3 * DAY_MS;
    await store.removeOld();
    expect(await lastUses(database(), ['key1'])).toEqual([
      { credential: 'key1', lastUsedAtMs: dayOf(NOON) },
    ]);
  });

  describe('sums', () => {
    it('of days that have passed include records that come later', async () => {
      let now = NOON;
      const store = await open(35, () => now);
      await write(store, [requestOf(), attemptOf()]);
      expect(await totalOf()).toMatchObject({ requests: 1, attempts: 1 });
      now = NOON + DAY_MS;
      await store.removeOld();
      await store.removeOld();
      const days = () => database().query('SELECT requests FROM usage_daily WHERE requests > 0');
      expect(await days()).toHaveLength(1);
      expect(await totalOf()).toMatchObject({ requests: 1, attempts: 1 });
      await write(store, [requestOf({ id: 'late' }), requestOf()], { sequence: 2 });
      expect(await totalOf()).toMatchObject({ requests: 2, attempts: 1 });
      const byHour = await totalOf({ by: ['hour'] });
      expect(byHour).toEqual(await totalOf());
      const { groups } = await sumUsage(database(), { ...WHOLE_DAY, by: ['month', 'target'] });
      const month = `${new Date(NOON).toISOString().slice(0, 7)}-01T00:00:00Z`;
      expect(groups.map(({ names }) => names)).toEqual([
        [month, ''],
        [month, 'default'],
      ]);
    });

    it('are those of the records, by up to two dimensions', async () => {
      const store = await open();
      await write(store, [
        requestOf(),
        attemptOf(),
        requestOf({ id: 'b', organization: 'zeta', model: 'small', credential: 'key2' }),
        requestOf({ id: 'c', outcome: 'failed', usage: null, delivered_tokens: 5 }),
        requestOf({ id: 'd', outcome: 'refused', usage: null, delivered_tokens: 0, model: null }),
        requestOf({ id: 'e', outcome: 'cancelled', usage: null, received_at_ms: NOON + HOUR_MS }),
      ]);
      const { groups, total } = await sumUsage(database(), {
        ...WHOLE_DAY,
        by: ['organization', 'model'],
        sort: 'requests',
      });
      expect(groups.map(({ names, sums }) => [...names, sums.requests])).toEqual([
        ['acme', 'large', 3],
        ['acme', '', 1],
        ['zeta', 'small', 1],
      ]);
      expect(total).toEqual({
        ...NOTHING,
        requests: 5,
        completed: 2,
        cancelled: 1,
        failed: 1,
        refused: 1,
        inputTokens: 3 + 3 + 4 + 0 + 4,
        cachedTokens: 2,
        outputTokens: 12 + 12 + 5 + 0 + 12,
        reasoningTokens: 10,
        deliveredTokens: 12 + 12 + 5 + 0 + 12,
        estimatedTokens: 8,
        countedTokens: 6,
        attempts: 1,
        generatedTokens: 12,
        unpriced: 3,
      });
      const hours = await sumUsage(database(), { ...WHOLE_DAY, by: ['hour'], credential: 'key1' });
      expect(
        hours.groups.map(({ names, sums }) => [names[0]?.slice(11, 16), sums.requests]),
      ).toEqual([
        ['12:00', 3],
        ['13:00', 1],
      ]);
      expect(await totalOf({ organization: 'unknown' })).toEqual(NOTHING);
    });

    it('of money are exact, and count the requests without a price', async () => {
      const store = await open();
      const prices = new PriceList([
        { id: 'large', prices: [{ input: '999999999.999999', output: '0.000001' }] },
      ]);
      const usage = { input_tokens: 1e12, cached_tokens: 0, output_tokens: 1, reasoning_tokens: 0 };
      const records = ['a', 'b', 'c'].map((id) => requestOf({ id, usage }));
      const small = requestOf({ id: 'd', organization: 'zeta', model: 'small' });
      await write(store, [...records, small], { prices });
      // Read again from another stream, it is neither counted nor priced again.
      await write(store, records, { created: 'again' });
      const spend = String(3n * (10n ** 12n * 999_999_999_999_999n + 1n));
      expect(await totalOf()).toMatchObject({ requests: 4, spend, unpriced: 1 });
      const byOrganization = { ...WHOLE_DAY, by: ['organization'], sort: 'spend' } as const;
      const { groups } = await sumUsage(database(), byOrganization);
      expect(groups.map(({ names, sums }) => [...names, sums.spend])).toEqual([
        ['acme', spend],
        ['zeta', '0'],
      ]);
      const months = await database().query(
        'SELECT month, organization, spend::text AS spend FROM spend_monthly',
      );
      const month = new Date(NOON).toISOString().slice(0, 7);
      expect(months).toEqual([{ month, organization: 'acme', spend }]);
      const explained = await explainRequest(database(), 'd');
      expect(explained?.request?.spend).toBeNull();
    });

    it('cover whole days and the hours before and after them', async () => {
      const store = await open();
      const times = [NOON - DAY_MS - HOUR_MS, NOON - DAY_MS, NOON, NOON + HOUR_MS];
      await write(
        store,
        times.map((received_at_ms, index) => requestOf({ id: `r${index}`, received_at_ms })),
      );
      const within = async (sinceMs: number, untilMs: number, hoursFromMs = 0) => {
        const summed = await sumUsage(database(), { ...WHOLE_DAY, sinceMs, untilMs, hoursFromMs });
        return [summed.total.requests, summed.sinceMs, summed.untilMs];
      };
      expect(await within(NOON - DAY_MS, NOON)).toEqual([1, NOON - DAY_MS, NOON]);
      expect(await within(NOON - DAY_MS - 1, NOON + 1)).toEqual([
        3,
        NOON - DAY_MS - HOUR_MS,
        NOON + HOUR_MS,
      ]);
      const today = dayOf(NOON);
      expect(await within(NOON - DAY_MS, NOON, today)).toEqual([2, today - DAY_MS, NOON]);
    });

    it('leave out groups beyond the limit, and say so', async () => {
      const store = await open();
      const organizations = ['a', 'b', 'c'];
      await write(
        store,
        organizations.map((organization) => requestOf({ id: organization, organization })),
      );
      const query: UsageQuery = { ...WHOLE_DAY, by: ['organization'], limit: 2 };
      const { groups, groupsLeftOut, total } = await sumUsage(database(), query);
      expect([groups.length, groupsLeftOut, total.requests]).toEqual([2, 1, 3]);
    });
  });
});
