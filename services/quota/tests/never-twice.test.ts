import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import type { Cluster, Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { connectRedis } from '../src/redis/connect-redis.ts';
import { RedisLimitStore } from '../src/redis/redis-limit-store.ts';
import { redisSettings } from '../src/redis/redis-settings.ts';
import { start } from '../src/start.ts';
import { ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';
import { startClosingRedis } from './support/closing-redis.ts';

useLeakCheck();
const logger = createLogger({ service: 'test', level: 'silent' });

function takesCommands(redis: Redis | Cluster): boolean {
  const masters = 'nodes' in redis ? redis.nodes('master') : [redis];
  // A node may be ready before the cluster is.
  return [redis, ...masters].every(({ status }) => status === 'ready') && masters.length > 0;
}

describe.each(['single', 'cluster'])('a script call whose answer is lost (%s)', (mode) => {
  it('is reported as failed and never sent again', async () => {
    await using server = await startClosingRedis();
    const environment = { REDIS_MODE: mode, REDIS_URL: `redis://127.0.0.1:${server.port}` };
    using connection = connectRedis(redisSettings(readQuotaSettings(environment)), logger);
    const { redis } = connection;
    const store = new RedisLimitStore({ redis, keyPrefix: '' });
    for (let round = 0; round < 5; round += 1) {
      await waitUntil(() => takesCommands(redis), { what: 'a connection' });
      const organizations = [`first-${round}`, `second-${round}`];
      const answers = store.decide(
        organizations.map((organization) => ({
          organization,
          limits: UNLIMITED,
          revision: REVISION,
          costs: [ONE_REQUEST],
        })),
      );
      const results = await Promise.allSettled(answers);
      expect(results.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
      // The client has reconnected, so it could have sent the call again.
      await waitUntil(() => takesCommands(redis), { what: 'the next connection' });
    }
    expect(server.scriptCalls.length).toBeGreaterThanOrEqual(5);
    expect(new Set(server.scriptCalls).size).toBe(server.scriptCalls.length);
  });
});

it('a script call without a connection is refused at once, and not sent after a reconnect', async () => {
  await using server = await startClosingRedis();
  const environment = { REDIS_URL: `redis://127.0.0.1:${server.port}` };
  using connection = connectRedis(redisSettings(readQuotaSettings(environment)), logger);
  const { redis } = connection;
  const store = new RedisLimitStore({ redis, keyPrefix: '' });
  const decide = (organization: string) =>
    store.decide([
      { organization, limits: UNLIMITED, revision: REVISION, costs: [ONE_REQUEST] },
    ])[0];
  await waitUntil(() => takesCommands(redis), { what: 'a connection' });
  await expect(decide('cut')).rejects.toBeInstanceOf(Error);
  expect(takesCommands(redis)).toBe(false);
  await expect(decide('meanwhile')).rejects.toBeInstanceOf(Error);
  await waitUntil(() => takesCommands(redis), { what: 'the next connection' });
  await expect(decide('after')).rejects.toBeInstanceOf(Error);
  expect(server.scriptCalls.join()).not.toContain('meanwhile');
});

describe('the service with a store that never answers', () => {
  it('serves, is not ready, and answers unavailable at once', async () => {
    await using server = await startClosingRedis();
    const settings = readQuotaSettings({
      PORT: '0',
      REDIS_URL: `redis://127.0.0.1:${server.port}`,
    });
    await using quota = await start(settings, logger);
    await using client = connectQuota({ addresses: [quota.address], logger });
    await client.ready();
    await waitUntil(() => server.scriptCalls.length > 2, { what: 'some probes' });
    const request = { organization: 'a', limits: UNLIMITED, revision: REVISION, ...ONE_REQUEST };
    expect(await client.admit(request)).toStrictEqual({ outcome: 'unavailable' });
    expect(quota.readiness()).toMatchObject({ ready: false, details: { breaker: 'open' } });
    expect(server.scriptCalls.some((key) => key.includes('{a}'))).toBe(false);
  });
});
