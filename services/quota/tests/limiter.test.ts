import { useLeakCheck, useRedis } from '@sluice/devkit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeInvariants } from './invariants/describe-invariants.ts';
import { ClockedLimitStore } from './support/clocked-limit-store.ts';

useLeakCheck();
const server = useRedis();

describe('on a single Redis', () => {
  let redis: Redis;
  let store: ClockedLimitStore;
  beforeAll(() => {
    redis = new Redis(server.url);
    store = new ClockedLimitStore(redis, server.namespace);
  });
  afterAll(() => redis.disconnect());

  describeInvariants(() => store);
});
