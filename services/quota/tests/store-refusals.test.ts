import { useLeakCheck, useRedis, waitUntil } from '@sluice/devkit';
import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { NotExecutedError } from '../src/limiter/limit-store.ts';
import { RedisLimitStore } from '../src/redis/redis-limit-store.ts';
import { warnOfEviction } from '../src/redis/startup-checks.ts';
import { start } from '../src/start.ts';
import { ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';

useLeakCheck();
const server = useRedis({ own: true });
const silent = createLogger({ service: 'test', level: 'silent' });

async function openQuota() {
  await using started = new AsyncDisposableStack();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'quota', level: 'info', destination });
  const settings = { PORT: '0', REDIS_URL: server.url, REDIS_DEADLINE_MS: '2000' };
  const quota = started.use(await start(readQuotaSettings(settings), logger));
  const client = started.use(
    connectQuota({ addresses: [quota.address], deadlineMs: 2_000, logger: silent }),
  );
  const redis = new Redis(server.url);
  started.defer(() => redis.disconnect());
  await client.ready();
  await waitUntil(() => quota.readiness().ready, { what: 'quota to be ready' });
  const admit = async (organization: string) => {
    const request = { organization, limits: UNLIMITED, revision: REVISION, ...ONE_REQUEST };
    return (await client.admit(request)).outcome;
  };
  const logged = (text: string) => lines.filter((line) => line.includes(text));
  const breaker = () => quota.readiness().details['breaker'];
  const owned = started.move();
  return { redis, admit, logged, breaker, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

describe('a key that the script cannot use', () => {
  it.each([
    ['holds another type', (redis: Redis, key: string) => redis.rpush(key, 'x')],
    ['is too short', (redis: Redis, key: string) => redis.set(key, 'x')],
    ['is too long', (redis: Redis, key: string) => redis.set(key, stateSeenAt(0, 98))],
    ['has an invalid time', (redis: Redis, key: string) => redis.set(key, stateSeenAt(0.5, 97))],
    ['has another version', (redis: Redis, key: string) => redis.set(key, stateSeenAt(0, 97, 2))],
  ])('because it %s affects one organization only, and is logged once', async (_, spoil) => {
    await using parts = await openQuota();
    await parts.redis.del('sluice:quota:{spoilt}');
    await spoil(parts.redis, 'sluice:quota:{spoilt}');
    for (let time = 0; time < 8; time += 1) {
      expect(await parts.admit('spoilt')).toBe('unavailable');
    }
    expect(parts.breaker()).toBe('closed');
    expect(await parts.admit('sound')).toBe('admitted');
    expect(parts.logged('the state of an organization cannot be used')).toHaveLength(1);
  });

  it('does not affect other organizations in the same call, and is not changed', async () => {
    await using parts = await openQuota();
    const spoilt = ['sluice:quota:{spoilt-list}', 'sluice:quota:{spoilt-text}'] as const;
    await parts.redis.del(...spoilt);
    await parts.redis.rpush(spoilt[0], 'x');
    await parts.redis.set(spoilt[1], 'x');
    const { calls } = await scriptsRun(parts.redis);
    const outcomes = await Promise.all(
      ['first', 'spoilt-list', 'second', 'spoilt-text', 'third'].map(parts.admit),
    );
    expect(outcomes).toEqual(['admitted', 'unavailable', 'admitted', 'unavailable', 'admitted']);
    expect((await scriptsRun(parts.redis)).calls).toBe(calls + 1);
    expect(await parts.redis.lrange(spoilt[0], 0, -1)).toEqual(['x']);
    expect(await parts.redis.get(spoilt[1])).toBe('x');
  });
});

describe('a store that answers but cannot write', () => {
  it('charges no organization of a call', async () => {
    await using parts = await openQuota();
    const names = Array.from({ length: 5 }, (_, index) => `refused-${index}`);
    await parts.redis.config('SET', 'maxmemory', '1');
    try {
      const outcomes = await Promise.all(names.map(parts.admit));
      expect(new Set(outcomes)).toEqual(new Set(['unavailable']));
    } finally {
      await parts.redis.config('SET', 'maxmemory', '0');
    }
    expect(await parts.redis.exists(names.map((name) => `sluice:quota:{${name}}`))).toBe(0);
  });

  it('is not used until it can write, and the reason is logged once', async () => {
    await using parts = await openQuota();
    const answersBefore = parts.logged('the store answers').length;
    await parts.redis.config('SET', 'maxmemory', '1');
    try {
      for (let time = 0; time < 5; time += 1) {
        expect(await parts.admit(`full-${time}`)).toBe('unavailable');
      }
      expect(parts.breaker()).toBe('open');
      const { calls } = await scriptsRun(parts.redis);
      await waitUntil(async () => (await scriptsRun(parts.redis)).calls >= calls + 4, {
        what: 'four probes',
      });
      expect(parts.breaker()).toBe('open');
      expect(parts.logged('the store answers')).toHaveLength(answersBefore);
      const [reason, ...more] = parts.logged('the store failed');
      expect(JSON.parse(reason ?? '{}')).toMatchObject({ level: 'warn', reason: 'OOM' });
      expect(more).toHaveLength(0);
    } finally {
      await parts.redis.config('SET', 'maxmemory', '0');
    }
    await waitUntil(async () => (await parts.admit('full')) === 'admitted', { what: 'recovery' });
    const probes = await parts.redis.keys('*:probe');
    for (const key of probes) expect(await parts.redis.pttl(key)).toBeLessThanOrEqual(1_000);
  });

  it('stays in use if its writes fail only now and then', async () => {
    await using parts = await openQuota();
    for (let time = 0; time < 6; time += 1) {
      await parts.redis.config('SET', 'maxmemory', '1');
      try {
        expect(await parts.admit(`now-and-then-${time}`)).toBe('unavailable');
      } finally {
        await parts.redis.config('SET', 'maxmemory', '0');
      }
      expect(await parts.admit(`now-and-then-${time}`)).toBe('admitted');
    }
    expect(parts.logged('the store does not answer')).toHaveLength(0);
  });

  it('executes nothing as a replica that does not have the script yet', async () => {
    const redis = new Redis(server.url);
    onTestFinished(() => redis.disconnect());
    const store = new RedisLimitStore({ redis, keyPrefix: 'replica:' });
    const call = { organization: 'acme', limits: UNLIMITED, revision: REVISION };
    await redis.script('FLUSH');
    await redis.replicaof('127.0.0.1', 1);
    try {
      const [answer] = store.decide([{ ...call, costs: [ONE_REQUEST] }]);
      await expect(answer).rejects.toThrow(NotExecutedError);
    } finally {
      await redis.replicaof('NO', 'ONE');
    }
  });

  it('because it is a replica now is disconnected each time, without many log lines', async () => {
    await using parts = await openQuota();
    await parts.redis.replicaof('127.0.0.1', 1);
    try {
      const before = await connectionsMade(parts.redis);
      await waitUntil(
        async () => {
          await parts.admit('demoted');
          return (await connectionsMade(parts.redis)) > before + 20;
        },
        { what: 'twenty more connections' },
      );
      expect(parts.logged('the store failed')[0]).toContain('"reason":"READONLY"');
      // A pause of the machine makes some connections look long.
      expect(parts.logged('to Redis').length).toBeLessThan(10);
    } finally {
      await parts.redis.replicaof('NO', 'ONE');
    }
    await waitUntil(async () => (await parts.admit('demoted')) === 'admitted', {
      what: 'recovery',
    });
  });
});

describe('a store that evicts keys when it is full', () => {
  it('is logged, but not one without a memory limit or one that refuses writes instead', async () => {
    const redis = new Redis(server.url);
    onTestFinished(async () => {
      await redis.config('SET', 'maxmemory', '0');
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      redis.disconnect();
    });
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ service: 'quota', level: 'info', destination });
    await redis.config('SET', 'maxmemory', '100mb');
    await warnOfEviction(redis, logger);
    await redis.config('SET', 'maxmemory', '0');
    await redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    await warnOfEviction(redis, logger);
    expect(lines).toEqual([]);
    await redis.config('SET', 'maxmemory', '100mb');
    await using parts = await openQuota();
    const warnings = () => parts.logged('set its maxmemory-policy to noeviction');
    await waitUntil(() => warnings().length === 1, { what: 'the warning' });
    expect(warnings()[0]).toContain('"policy":"volatile-lru"');
  });
});

/** A state as the script packs it: the version, the last clock, then zeros. */
function stateSeenAt(time: number, bytes: number, version = 1): Buffer {
  const state = Buffer.alloc(bytes);
  state.writeDoubleLE(time, state.writeUInt8(version, 0));
  return state;
}

async function connectionsMade(redis: Redis): Promise<number> {
  const statistics = await redis.info('stats');
  return Number(/total_connections_received:(\d+)/.exec(statistics)?.[1] ?? 0);
}

async function scriptsRun(redis: Redis): Promise<{ calls: number }> {
  const statistics = await redis.info('commandstats');
  return { calls: Number(/cmdstat_evalsha:calls=(\d+)/.exec(statistics)?.[1] ?? 0) };
}
