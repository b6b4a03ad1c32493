import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { start } from '../src/start.ts';
import { ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';
import { startRedisCluster, type RedisCluster } from './support/redis-cluster.ts';
import { ask, redisProgramMissing, startRedisProcess } from './support/redis-processes.ts';

useLeakCheck();
const logger = createLogger({ service: 'test', level: 'silent' });

const missing = redisProgramMissing();
describe.skipIf(cannotRun('quota on a Redis Cluster', missing))('quota on a Redis Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  it('decides the first admissions on every node', async () => {
    const [first] = cluster.masters;
    for (let round = 0; round < 5; round += 1) {
      await using quota = await start(
        readQuotaSettings({
          PORT: '0',
          REDIS_MODE: 'cluster',
          REDIS_URL: `redis://127.0.0.1:${first?.port}`,
          REDIS_DEADLINE_MS: '2000',
        }),
        logger,
      );
      await using client = connectQuota({ addresses: [quota.address], deadlineMs: 2_000, logger });
      await client.ready();
      await waitUntil(() => quota.readiness().ready, { what: 'quota to be ready' });
      const decisions = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          client.admit({
            organization: `cold-${round}-${index}`,
            limits: UNLIMITED,
            revision: REVISION,
            ...ONE_REQUEST,
          }),
        ),
      );
      expect(decisions.filter(({ outcome }) => outcome === 'unavailable')).toHaveLength(0);
    }
  });

  it('decides each admission once if a cluster is behind the address of a single server', async () => {
    await using server = await startRedisProcess({ settings: ['cluster-enabled yes'] });
    await wholeCluster(server.port);
    await using quota = await start(
      readQuotaSettings({
        PORT: '0',
        REDIS_URL: `redis://127.0.0.1:${server.port}`,
        REDIS_DEADLINE_MS: '2000',
      }),
      logger,
    );
    await using client = connectQuota({ addresses: [quota.address], deadlineMs: 2_000, logger });
    await client.ready();
    await waitUntil(() => quota.readiness().ready, { what: 'quota to be ready' });
    const limits = { ...UNLIMITED, requests_per_day: 100 };
    const admitAll = () =>
      Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          client.admit({
            organization: `hidden-${index}`,
            limits,
            revision: REVISION,
            ...ONE_REQUEST,
          }),
        ),
      );
    for (const remaining of [99, 98]) {
      for (const decision of await admitAll()) {
        expect(decision).toMatchObject({
          outcome: 'admitted',
          windows: { requests_per_day: { remaining } },
        });
      }
    }
  });

  it('logs which node cannot be reached by its announced address', async () => {
    const settings = [
      'cluster-enabled yes',
      'cluster-announce-ip 127.0.0.1',
      'cluster-announce-port 1',
    ];
    await using server = await startRedisProcess({ settings });
    await wholeCluster(server.port);
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    await using _quota = await start(
      readQuotaSettings({
        PORT: '0',
        REDIS_MODE: 'cluster',
        REDIS_URL: `redis://127.0.0.1:${server.port}`,
      }),
      createLogger({ service: 'test', level: 'info', destination }),
    );
    const complaints = lines
      .filter((line) => line.includes('no Redis connection'))
      .map((line) => JSON.parse(line) as { reason: string; node?: string });
    // Other reasons may follow, such as a command that was waiting for the connection. Each is logged once.
    expect(complaints[0]).toMatchObject({ level: 'warn', reason: 'ECONNREFUSED' });
    expect(new Set(complaints.map(({ node }) => node))).toEqual(new Set(['127.0.0.1:1']));
    const reasons = complaints.map(({ reason }) => reason);
    expect(reasons).toEqual([...new Set(reasons)]);
  });
});

/** Assigns all slots to a node. */
async function wholeCluster(port: number): Promise<void> {
  await ask(port, 'cluster', 'addslotsrange', '0', '16383');
  await waitUntil(
    async () => String(await ask(port, 'cluster', 'info')).includes('cluster_state:ok'),
    { what: 'the slots to be served' },
  );
}
