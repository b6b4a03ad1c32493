import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { connectUsage } from '@sluice/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptOf, NOON, requestOf } from './records.ts';
import {
  openLedgerWriter,
  startUsage,
  type LedgerWriter,
  type UsageUnderTest,
} from './usage-under-test.ts';

/** Building a new embedded database takes seconds of CPU time. */
const OPENING_MS = 90_000;

describe('the usage service on its embedded database', () => {
  useLeakCheck();
  const nats = useNats();
  let folder: string;
  let usage: UsageUnderTest;
  let ledger: LedgerWriter;
  const settings = () => ({
    NATS_URL: nats.url,
    SUBJECT_PREFIX: nats.namespace,
    DATABASE_FOLDER: join(folder, 'tables'),
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-usage-'));
    // The folder that a process leaves behind if it is killed while it builds the database.
    await mkdir(join(folder, 'tables.unfinished'));
    await writeFile(join(folder, 'tables.unfinished/PG_VERSION'), '0');
    // Before the streams exist.
    usage = await startUsage(settings());
    ledger = await openLedgerWriter(nats.url, nats.namespace);
  });
  afterAll(async () => {
    await usage[Symbol.asyncDispose]();
    await ledger[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('says that it is not ready until its database is open', async () => {
    const call = usage.client.explain({ id: 'request1' });
    await expect(call).rejects.toMatchObject({ code: 'unavailable' });
    expect(usage.service.readiness()).toMatchObject({
      ready: false,
      details: { database: 'opening' },
    });
  });

  it(
    'gets ready when the database is open',
    async () => {
      await waitUntil(() => usage.service.readiness().ready, {
        what: 'the database to open',
        timeoutMs: OPENING_MS,
      });
      expect(usage.service.readiness()).toMatchObject({ details: { database: 'open' } });
    },
    OPENING_MS,
  );

  it('explains, lists and sums what gateways and workers have recorded', async () => {
    ledger.attempt(attemptOf());
    ledger.request(requestOf());
    ledger.refusal(
      requestOf({
        id: 'refused',
        outcome: 'refused',
        code: 'rate_limit_exceeded',
        attempts: 0,
        usage: null,
        delivered_tokens: 0,
        first_token_ms: null,
      }),
    );
    await ledger.settled();
    const reply = await waitUntil(
      async () => {
        const listed = await usage.client.listRequests({});
        return listed.requests.length === 2 && listed.freshness?.unreadMessages === 0
          ? listed
          : undefined;
      },
      { what: 'the records to be in the tables' },
    );
    expect(reply.requests.map(({ id }) => id)).toEqual(['request1', 'refused']);
    expect(reply).toMatchObject({ nextPage: '', freshness: { lagSeconds: 0 } });
    const explained = await usage.client.explain({ id: 'request1' });
    expect(explained).toMatchObject({
      request: {
        organization: 'acme',
        credential: 'key1',
        receivedAtMs: NOON,
        outcome: 'completed',
        inputTokens: 3,
        firstTokenMs: 40,
      },
      attempts: [{ worker: 'worker1', ended: 'finished', generatedTokens: 12 }],
    });
    expect(await usage.client.lastUses({ credentials: ['key1'] })).toMatchObject({
      uses: [{ credential: 'key1', lastUsedAtMs: NOON }],
    });
    const refused = await usage.client.explain({ id: 'refused' });
    expect(refused.request).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(refused.request?.firstTokenMs).toBeUndefined();
    const sums = await usage.client.sumUsage({ by: ['organization'], sort: 'requests' });
    expect(sums).toMatchObject({
      groups: [{ names: ['acme'], sums: { requests: 2, completed: 1, refused: 1 } }],
      total: { requests: 2, attempts: 1, outputTokens: 12 },
    });
  });

  it.each([
    ['too many dimensions', { by: ['organization', 'model', 'day'] }, /at most two/],
    ['an unknown dimension', { by: ['worker'] }, /by must be one of organization/],
    ['an unknown sum', { sort: 'kilometres' }, /sort must be one of requests/],
  ])('refuses %s', async (_, request, message) => {
    const call = usage.client.sumUsage(request);
    await expect(call).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(usage.client.sumUsage(request)).rejects.toThrow(message);
  });

  it('refuses a page that it did not give out, and a request that it does not know', async () => {
    const page = usage.client.listRequests({ page: 'nonsense' });
    await expect(page).rejects.toMatchObject({ code: 'invalid_argument' });
    const unknown = usage.client.explain({ id: 'unknown' });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuses callers without an admin token', async () => {
    const address = usage.service.address ?? '';
    await using stranger = connectUsage({ address, token: 'a-token-that-is-wrong' });
    const call = stranger.listRequests({});
    await expect(call).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('skips records that it cannot read, and those that no service writes', async () => {
    const strange = [
      requestOf({ id: 'x'.repeat(400) }),
      requestOf({ id: 'control\u0000' }),
      requestOf({ id: 'many', delivered_tokens: Number.MAX_SAFE_INTEGER }),
      requestOf({ id: 'old', received_at_ms: 1 }),
      requestOf({ id: 'future', received_at_ms: NOON + 400 * 86_400_000 }),
    ];
    for (const record of strange) ledger.request(record);
    ledger.request(requestOf({ id: 'good' }));
    await waitUntil(() => usage.client.explain({ id: 'good' }), { what: 'the good record' });
    const { requests } = await usage.client.listRequests({});
    expect(requests.map(({ id }) => id).toSorted()).toEqual(['good', 'refused', 'request1']);
  });

  it(
    'goes on where it stopped, and counts nothing twice that is recorded again',
    async () => {
      await usage[Symbol.asyncDispose]();
      ledger.request(requestOf({ id: 'meanwhile' }));
      await ledger.settled();
      usage = await startUsage(settings());
      await waitUntil(() => usage.service.readiness().ready, {
        what: 'the database to open again',
        timeoutMs: OPENING_MS,
      });
      const total = async (requests: number) =>
        waitUntil(
          async () => {
            const sums = await usage.client.sumUsage({});
            return sums.total?.requests === requests ? sums.total : undefined;
          },
          { what: `${requests} requests` },
        );
      await total(4);
      // The stream detects a repeated message by the id of its first record, so that one is new.
      ledger.request(requestOf({ id: 'new' }));
      ledger.request(requestOf());
      ledger.request(requestOf({ id: 'meanwhile' }));
      expect(await total(5)).toMatchObject({ requests: 5, outputTokens: 48 });
    },
    OPENING_MS + 30_000,
  );
});
