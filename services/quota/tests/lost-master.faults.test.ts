import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { PauseWitness } from '@sluice/devkit/pauses';
import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { Cluster } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { slotOfKey } from '../src/redis/cluster-map.ts';
import { ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';
import { ChargeAudit, UNNOTICED_REQUESTS } from './support/charge-audit.ts';
import { readinessOf, startQuotaProcess } from './support/quota-process.ts';
import { startRedisCluster, type RedisCluster } from './support/redis-cluster.ts';
import { redisProgramMissing, type RedisProcess } from './support/redis-processes.ts';

useLeakCheck();
const logger = createLogger({ service: 'test', level: 'silent' });
const KEY_PREFIX = 'lost:';

function settingsOf({ masters }: RedisCluster) {
  return {
    REDIS_MODE: 'cluster',
    REDIS_URL: masters.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    REDIS_KEY_PREFIX: KEY_PREFIX,
  };
}

function masterOf(cluster: RedisCluster, organization: string): RedisProcess | undefined {
  return cluster.masterOf(slotOfKey(`${KEY_PREFIX}{${organization}}`));
}

/** Two steady loads: on the organizations of one master, and on all other organizations. */
async function startAudited(cluster: RedisCluster, master: RedisProcess) {
  await using started = new AsyncDisposableStack();
  const quota = started.use(await startQuotaProcess(settingsOf(cluster)));
  const client = started.use(connectQuota({ addresses: [quota.address], logger }));
  await client.ready();
  const witness = started.use(await PauseWitness.start());
  const isOnMaster = (organization: string) => masterOf(cluster, organization) === master;
  const onMaster = new ChargeAudit(client, witness, { name: 'on', isWanted: isOnMaster });
  const onOthers = new ChargeAudit(client, witness, {
    name: 'off',
    isWanted: (organization) => !isOnMaster(organization),
  });
  for (const audit of [onMaster, onOthers]) {
    started.defer(() => audit.stop());
    audit.start();
    await waitUntil(() => audit.countOf('admitted') > 200, { what: 'a steady load' });
  }
  const owned = started.move();
  return { quota, witness, onMaster, onOthers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const WAYS_TO_FAIL: [
  string,
  (master: RedisProcess) => Promise<void> | void,
  (master: RedisProcess) => Promise<void> | void,
][] = [
  ['killed', (master) => master.kill(), (master) => master.restart()],
  ['frozen', (master) => master.pause(), (master) => master.resume()],
];

const missing = redisProgramMissing();
describe.skipIf(cannotRun('a Redis Cluster without a master', missing))(
  'a cluster that continues without a master',
  () => {
    it.each(WAYS_TO_FAIL)('%s is unavailable only for its organizations', async (_, fail, mend) => {
      await using cluster = await startRedisCluster();
      await cluster.configure('cluster-require-full-coverage', 'no');
      // Long enough that the cluster does not mark the master as failed.
      await cluster.configure('cluster-node-timeout', '15000');
      const [master] = cluster.masters;
      if (master === undefined) throw new Error('there are three');
      await using audited = await startAudited(cluster, master);
      const { quota, witness, onMaster, onOthers } = audited;

      await fail(master);
      const admitted = onOthers.countOf('admitted');
      await waitUntil(
        () =>
          onMaster.countOf('unavailable') > 1_000 &&
          onOthers.countOf('admitted') > admitted + 1_000,
        { what: 'a partial outage' },
      );
      const address = `127.0.0.1:${master.port}`;
      expect(await readinessOf(quota)).toStrictEqual({
        ready: true,
        breaker: 'open',
        silent: [address],
      });

      await mend(master);
      await cluster.whole();
      const mendedAt = performance.now();
      const admittedAt = await waitUntil(() => onMaster.admittedSince(mendedAt), {
        what: 'an admission by the master',
      });
      const pausedMs = witness.look().pausedMs(mendedAt, admittedAt);
      expect(admittedAt - mendedAt - pausedMs).toBeLessThan(1_000);
      await waitUntil(async () => (await readinessOf(quota)).breaker === 'closed', {
        what: 'a whole store',
      });

      const store = new Cluster(cluster.masters.map(({ port }) => ({ host: '127.0.0.1', port })));
      try {
        for (const audit of [onMaster, onOthers]) {
          await audit.stop();
          const report = await audit.report(store, KEY_PREFIX);
          expect(report.chargedTwice).toBe(0);
          expect(report.slowestMs).toBeLessThan(200);
          const undecided = audit.undecidedAfter(audit === onOthers ? 0 : admittedAt + 1_000);
          expect(undecided.length).toBeLessThan(UNNOTICED_REQUESTS);
          if (audit === onOthers) expect(report.unavailable).toBe(0);
          else expect(report.unavailable).toBeGreaterThan(0);
        }
      } finally {
        store.disconnect();
      }
      const silent = quota.log.filter(({ msg }) => msg.includes('does not answer'));
      expect(new Set(silent.map(({ node }) => node))).toStrictEqual(new Set([address]));
    });

    it('can be used by a new replica of quota, which decides for all other organizations', async () => {
      await using cluster = await startRedisCluster();
      await cluster.configure('cluster-require-full-coverage', 'no');
      await cluster.configure('cluster-node-timeout', '15000');
      const [first, lost] = cluster.masters;
      if (first === undefined || lost === undefined) throw new Error('there are three');
      await lost.kill();
      await using quota = await startQuotaProcess(settingsOf(cluster));
      expect(await readinessOf(quota)).toStrictEqual({
        ready: true,
        breaker: 'open',
        silent: [`127.0.0.1:${lost.port}`],
      });
      await using client = connectQuota({ addresses: [quota.address], logger });
      await client.ready();
      const names = Array.from({ length: 30 }, (_, index) => `early-${index}`);
      const outcomes = await Promise.all(
        names.map(async (organization) => {
          const request = { organization, limits: UNLIMITED, revision: REVISION, ...ONE_REQUEST };
          return (await client.admit(request)).outcome;
        }),
      );
      expect(outcomes).toStrictEqual(
        names.map((name) => (masterOf(cluster, name) === lost ? 'unavailable' : 'admitted')),
      );
    });
  },
);
