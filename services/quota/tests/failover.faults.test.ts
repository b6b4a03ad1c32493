import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { PauseWitness } from '@sluice/devkit/pauses';
import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { Redis, type Cluster } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { ChargeAudit, UNNOTICED_REQUESTS } from './support/charge-audit.ts';
import { readinessOf, startQuotaProcess } from './support/quota-process.ts';
import { startRedisCluster } from './support/redis-cluster.ts';
import { ask, redisProgramMissing, type RedisProcess } from './support/redis-processes.ts';
import { startSentinelGroup, type SentinelGroup } from './support/redis-sentinel.ts';

useLeakCheck();

const logger = createLogger({ service: 'test', level: 'silent' });
const KEY_PREFIX = 'failover:';

async function startAudited(settings: Readonly<Record<string, string>>) {
  await using started = new AsyncDisposableStack();
  const quota = started.use(await startQuotaProcess({ ...settings, REDIS_KEY_PREFIX: KEY_PREFIX }));
  await waitUntil(async () => (await readinessOf(quota)).ready, { what: 'quota to be ready' });
  const client = started.use(connectQuota({ addresses: [quota.address], logger }));
  await client.ready();
  const witness = started.use(await PauseWitness.start());
  const audit = new ChargeAudit(client, witness, { name: 'audit' });
  started.defer(() => audit.stop());
  audit.start();
  await waitUntil(() => audit.countOf('admitted') > 500, { what: 'a steady load' });
  const owned = started.move();
  return { audit, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const WAYS_TO_FAIL: [string, (master: RedisProcess) => Promise<void> | void][] = [
  ['killed', (master) => master.kill()],
  ['frozen', (master) => master.pause()],
];

function settingsOf({ name, sentinels }: SentinelGroup) {
  return {
    REDIS_MODE: 'sentinel',
    REDIS_SENTINEL_NAME: name,
    REDIS_URL: sentinels.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
  };
}

async function scriptsRun({ port }: RedisProcess): Promise<number> {
  const statistics = String(await ask(port, 'info', 'commandstats'));
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(statistics)?.[1] ?? 0);
}

/** Ends the load, and expects that nothing was charged twice and that no request took long. */
async function expectOneChargeEach(audit: ChargeAudit, store: Redis | Cluster): Promise<void> {
  await audit.stop();
  const report = await audit.report(store, KEY_PREFIX);
  store.disconnect();
  expect(report.chargedTwice).toBe(0);
  expect(report.slowestMs).toBeLessThan(200);
}

const missing = redisProgramMissing();

describe.skipIf(cannotRun('failover by Redis Sentinel', missing))('a failover by Sentinel', () => {
  it.each(WAYS_TO_FAIL)('of a master %s is followed within a second', async (_, fail) => {
    await using group = await startSentinelGroup();
    await using audited = await startAudited(settingsOf(group));
    const { audit } = audited;
    await fail(group.master);
    await waitUntil(() => audit.countOf('unavailable') > 0, { what: 'an outage' });
    await waitUntil(
      async () =>
        (await group.masterPort()) === group.replica.port &&
        String(await ask(group.replica.port, 'role')).startsWith('master'),
      { what: 'the replica to be the master', timeoutMs: 30_000 },
    );
    const promotedAt = performance.now();
    const admittedAt = await waitUntil(() => audit.admittedSince(promotedAt), {
      what: 'an admission by the new master',
    });
    expect(admittedAt - promotedAt).toBeLessThan(1_000);
    const admitted = audit.countOf('admitted');
    await waitUntil(() => audit.countOf('admitted') > admitted + 500, { what: 'a steady load' });
    expect(audit.undecidedAfter(promotedAt + 1_000).length).toBeLessThan(UNNOTICED_REQUESTS);
    await expectOneChargeEach(audit, new Redis(group.replica.port));
  });
});

describe.skipIf(cannotRun('failover by Redis Sentinel', missing))('a failover on demand', () => {
  it('is followed within a second, although the old master still decides', async () => {
    await using group = await startSentinelGroup();
    await using audited = await startAudited(settingsOf(group));
    const { audit } = audited;
    const askedAt = performance.now();
    await ask(group.sentinels[0]?.port ?? 0, 'sentinel', 'failover', group.name);
    await waitUntil(async () => (await group.masterPort()) === group.replica.port, {
      what: 'the sentinels to name the replica',
      timeoutMs: 30_000,
    });
    const promotedAt = performance.now();
    await waitUntil(async () => (await scriptsRun(group.replica)) > 0, {
      what: 'the new master to decide',
      timeoutMs: 5_000,
    });
    expect(performance.now() - promotedAt).toBeLessThan(1_000);
    const decided = await scriptsRun(group.master);
    const admitted = audit.countOf('admitted');
    await waitUntil(() => audit.countOf('admitted') > admitted + 500, { what: 'a steady load' });
    expect(await scriptsRun(group.master)).toBe(decided);
    expect(audit.undecidedAfter(askedAt).length).toBeLessThan(UNNOTICED_REQUESTS);
    await expectOneChargeEach(audit, new Redis(group.replica.port));
  });
});

describe.skipIf(cannotRun('failover of a Redis Cluster', missing))(
  'a failover in a cluster',
  () => {
    it.each(WAYS_TO_FAIL)('of a master %s is followed within a second', async (_, fail) => {
      await using cluster = await startRedisCluster({ replicated: true });
      const nodes = [...cluster.masters, ...cluster.replicas];
      await using audited = await startAudited({
        REDIS_MODE: 'cluster',
        REDIS_URL: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
      });
      const { audit } = audited;
      const [master] = cluster.masters;
      const [replica] = cluster.replicas;
      if (master === undefined || replica === undefined) throw new Error('there are three of each');
      const failedAt = performance.now();
      await fail(master);
      await waitUntil(() => audit.countOf('unavailable') > 0, { what: 'a partial outage' });
      await waitUntil(async () => String(await ask(replica.port, 'role')).startsWith('master'), {
        what: 'the replica to be a master',
        timeoutMs: 30_000,
      });
      await waitUntil(
        async () => String(await ask(replica.port, 'cluster', 'info')).includes('cluster_state:ok'),
        { what: 'the cluster to be whole again' },
      );
      const recoveredAt = performance.now() + 1_000;
      await waitUntil(() => performance.now() > recoveredAt, { what: 'a second to pass' });
      const admitted = audit.countOf('admitted');
      await waitUntil(() => audit.countOf('admitted') > admitted + 500, { what: 'a steady load' });
      expect(audit.unavailableSince(recoveredAt)).toBe(0);
      expect(audit.undecidedAfter(recoveredAt).length).toBeLessThan(UNNOTICED_REQUESTS);
      expect(audit.unavailableSince(failedAt)).toBeGreaterThan(0);
      const survivors = cluster.replicas.map(({ port }) => ({ host: '127.0.0.1', port }));
      await expectOneChargeEach(audit, new Redis.Cluster(survivors));
    });

    it('on demand affects no request', async () => {
      await using cluster = await startRedisCluster({ replicated: true });
      await using audited = await startAudited({
        REDIS_MODE: 'cluster',
        REDIS_URL: cluster.masters.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
      });
      const { audit } = audited;
      const [replica] = cluster.replicas;
      if (replica === undefined) throw new Error('there are three');
      const askedAt = performance.now();
      await ask(replica.port, 'cluster', 'failover');
      await waitUntil(async () => (await scriptsRun(replica)) > 100, {
        what: 'the new master to decide',
        timeoutMs: 20_000,
      });
      const nodes = [...cluster.masters, ...cluster.replicas];
      const store = new Redis.Cluster(nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
      await audit.stop();
      const report = await audit.report(store, KEY_PREFIX);
      store.disconnect();
      expect(report).toMatchObject({ unavailable: 0, chargedTwice: 0, admittedUncharged: 0 });
      expect(audit.undecidedAfter(askedAt).length).toBeLessThan(UNNOTICED_REQUESTS);
      expect(report.slowestMs).toBeLessThan(200);
    });
  },
);
