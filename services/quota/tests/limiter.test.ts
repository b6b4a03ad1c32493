import { useLeakCheck, useRedis } from '@sluice/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeInvariants } from './invariants/describe-invariants.ts';
import { ClockedLedger } from './support/clocked-ledger.ts';

useLeakCheck();
const server = useRedis();

describe('on a single Redis', () => {
  let redis: Redis;
  let ledger: ClockedLedger;
  beforeAll(() => {
    redis = new Redis(server.url);
    ledger = new ClockedLedger(redis, server.namespace);
  });
  afterAll(() => redis.disconnect());

  describeInvariants(() => ledger);
});
