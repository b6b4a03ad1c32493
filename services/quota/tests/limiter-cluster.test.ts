import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { afterAll, beforeAll, describe } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { connectRedis, type RedisConnection } from '../src/redis/connect-redis.ts';
import { redisSettings } from '../src/redis/redis-settings.ts';
import { describeInvariants } from './invariants/describe-invariants.ts';
import { ClockedLimitStore } from './support/clocked-limit-store.ts';
import { startRedisCluster, type RedisCluster } from './support/redis-cluster.ts';
import { redisProgramMissing } from './support/redis-processes.ts';

useLeakCheck();

const missing = redisProgramMissing();
describe.skipIf(cannotRun('the limiter on a Redis Cluster', missing))('on a Redis Cluster', () => {
  let cluster: RedisCluster;
  let connection: RedisConnection;
  let store: ClockedLimitStore;
  beforeAll(async () => {
    cluster = await startRedisCluster();
    const addresses = cluster.masters.map(({ port }) => `redis://127.0.0.1:${port}`);
    const environment = { REDIS_MODE: 'cluster', REDIS_URL: addresses.join(',') };
    const logger = createLogger({ service: 'quota', level: 'silent' });
    connection = connectRedis(redisSettings(readQuotaSettings(environment)), logger);
    await waitUntil(() => connection.usable, { what: 'every master to be connected' });
    store = new ClockedLimitStore(connection.redis, 'cluster');
  });
  afterAll(async () => {
    connection[Symbol.dispose]();
    await cluster[Symbol.asyncDispose]();
  });

  describeInvariants(() => store);
});
