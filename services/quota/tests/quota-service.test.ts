import type { AdmissionRequest } from '@sluice/contracts';
import { useLeakCheck, useRedis, waitUntil } from '@sluice/devkit';
import { connectQuota, type QuotaClient } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { RedisLimitStore } from '../src/redis/redis-limit-store.ts';
import { start, type RunningQuota } from '../src/start.ts';
import { ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';

useLeakCheck();
const server = useRedis();
const logger = createLogger({ service: 'test', level: 'silent' });

let quota: RunningQuota;
let client: QuotaClient;

beforeAll(async () => {
  const settings = readQuotaSettings({
    PORT: '0',
    REDIS_URL: server.url,
    REDIS_KEY_PREFIX: `${server.namespace}:`,
    REDIS_DEADLINE_MS: '2000',
  });
  quota = await start(settings, logger);
  client = connectQuota({ addresses: [quota.address], deadlineMs: 2_000, logger });
  await client.ready();
  await waitUntil(() => quota.readiness().ready, { what: 'quota to be ready' });
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await quota[Symbol.asyncDispose]();
});

function request(
  organization: string,
  overrides: Partial<AdmissionRequest> = {},
): AdmissionRequest {
  const limits = { ...UNLIMITED, requests_per_minute: 5 };
  return { organization, limits, revision: REVISION, ...ONE_REQUEST, ...overrides };
}

describe('the quota service', () => {
  it('has reached its store when it starts to serve', async () => {
    await using started = await start(
      readQuotaSettings({ PORT: '0', REDIS_URL: server.url, REDIS_DEADLINE_MS: '2000' }),
      logger,
    );
    expect(started.readiness().ready).toBe(true);
  });

  it('is ready once it has reached its store, and reports its state', () => {
    expect(quota.readiness()).toMatchObject({
      ready: true,
      details: { redis: 'ready', breaker: 'closed', unanswered: 0 },
    });
  });

  it('admits simultaneous requests exactly up to the limit', async () => {
    const decisions = await Promise.all(
      Array.from({ length: 50 }, () => client.admit(request('burst'))),
    );
    const outcomes = decisions.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'admitted')).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(45);
    expect(decisions[0]).toMatchObject({ windows: { requests_per_minute: { remaining: 4 } } });
    expect(decisions[49]).toMatchObject({
      refusedBy: 'requests_per_minute',
      exceedsCapacity: false,
      windows: { requests_per_minute: { limit: 5, remaining: 0 }, tokens_per_day: null },
    });
  });

  it('does not charge a peek', async () => {
    const limits = { ...UNLIMITED, requests_per_minute: 5, tokens_per_day: 10 };
    await client.admit(request('peeked', { limits, requests: 2, tokens: 3 }));
    for (let time = 0; time < 3; time += 1) {
      const look = request('peeked', { limits, requests: 4, tokens: 4 });
      expect(await client.peek(look)).toMatchObject({
        outcome: 'admitted',
        windows: { requests_per_minute: { remaining: 3 }, tokens_per_day: { remaining: 7 } },
      });
    }
  });

  it('keeps organizations apart, with any characters in their names', async () => {
    const names = ['a', 'a}b', '{a', 'a b', 'ä', '*', '{}', 'a\r\nb'];
    const decisions = await Promise.all(names.map((name) => client.admit(request(name))));
    for (const decision of decisions) {
      expect(decision).toMatchObject({ windows: { requests_per_minute: { remaining: 4 } } });
    }
  });

  it('rejects an invalid admission', async () => {
    const senseless = request('senseless', { tokens: 100_000_000_001 });
    expect(await client.admit(senseless)).toStrictEqual({ outcome: 'unavailable' });
    expect(await client.admit(request('senseless'))).toMatchObject({ outcome: 'admitted' });
  });
});

describe('eight connections at once', () => {
  it('are admitted exactly as often as the limit allows by the clock of the store', async () => {
    const connections = Array.from({ length: 8 }, () => new Redis(server.url));
    const limits = { ...UNLIMITED, requests_per_minute: 6_000 };
    const call = { organization: 'shared', limits, revision: REVISION };
    const admittedAt: number[] = [];
    const endsAt = performance.now() + 1_000;
    await Promise.all(
      connections.map(async (redis) => {
        const store = new RedisLimitStore({ redis, keyPrefix: `${server.namespace}:direct:` });
        while (performance.now() < endsAt) {
          const costs = Array.from({ length: 20 }, () => ONE_REQUEST);
          const [verdicts = []] = await Promise.all(store.decide([{ ...call, costs }]));
          for (const { outcome, decidedAtMs } of verdicts) {
            if (outcome === 'admitted') admittedAt.push(decidedAtMs);
          }
        }
      }),
    );
    for (const redis of connections) redis.disconnect();
    const elapsed = Math.max(...admittedAt) - Math.min(...admittedAt);
    expect(admittedAt).toHaveLength(6_000 + Math.floor(elapsed / 10));
  });
});
