import { useLeakCheck, useRedis } from '@sluice/testkit';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { RedisLedger } from '../src/redis/redis-ledger.ts';
import { DAY, ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';

useLeakCheck();
const server = useRedis();

it('the keys of many organizations expire spread over a minute, not all in one moment', async () => {
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const ledger = new RedisLedger({ redis, keyPrefix: `${server.namespace}:` });
  const organizations = Array.from({ length: 30 }, (_, index) => `expiring-${index}`);
  const startedAt = performance.now();
  for (const organization of organizations) {
    const call = { organization, limits: UNLIMITED, revision: REVISION, costs: [ONE_REQUEST] };
    // Each by a script of its own, which reads the clock anew.
    await Promise.all(ledger.decide([call]));
  }
  const now = Date.now();
  const timesToLive = await Promise.all(
    organizations.map((organization) => redis.pttl(ledger.keyOf(organization))),
  );
  const passedMs = performance.now() - startedAt;
  // After midnight; that of tomorrow too, for what was counted since the last one.
  const expiries = timesToLive.map((timeToLive) => (now + timeToLive) % DAY);
  const spreadMs = Math.max(...expiries) - Math.min(...expiries);
  // Without a spread only the time that passed tells them apart. Thirty random moments of a minute never are this close.
  expect(spreadMs).toBeGreaterThan(15_000 + passedMs);
  expect(spreadMs).toBeLessThan(60_000 + passedMs);
  expect(new Set(expiries).size).toBeGreaterThan(organizations.length / 2);
});
