import { useLeakCheck, useRedis } from '@sluice/devkit';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { RedisLimitStore } from '../src/redis/redis-limit-store.ts';
import { DAY, ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';

useLeakCheck();
const server = useRedis();

it('the keys of many organizations expire spread over a minute, not all at once', async () => {
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const store = new RedisLimitStore({ redis, keyPrefix: `${server.namespace}:` });
  const organizations = Array.from({ length: 30 }, (_, index) => `expiring-${index}`);
  const startedAt = performance.now();
  for (const organization of organizations) {
    const call = { organization, limits: UNLIMITED, revision: REVISION, costs: [ONE_REQUEST] };
    // Separate calls, because each call of the script reads the clock once.
    await Promise.all(store.decide([call]));
  }
  const now = Date.now();
  const timesToLive = await Promise.all(
    organizations.map((organization) => redis.pttl(store.keyOf(organization))),
  );
  const passedMs = performance.now() - startedAt;
  // Relative to midnight, since some calls may count for the next day.
  const expiries = timesToLive.map((timeToLive) => (now + timeToLive) % DAY);
  const spreadMs = Math.max(...expiries) - Math.min(...expiries);
  // Without jitter, the expiries would differ by no more than the duration of the test.
  expect(spreadMs).toBeGreaterThan(15_000 + passedMs);
  expect(spreadMs).toBeLessThan(60_000 + passedMs);
  expect(new Set(expiries).size).toBeGreaterThan(organizations.length / 2);
});
