import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/telemetry';
import { useLeakCheck, useRedis, waitUntil } from '@sluice/testkit';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { warnOfEviction } from '../src/redis/warn-of-eviction.ts';
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
  const said = (text: string) => lines.filter((line) => line.includes(text));
  const breaker = () => quota.readiness().details['breaker'];
  const owned = started.move();
  return { redis, admit, said, breaker, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

describe('a key that the script cannot use', () => {
  it.each([
    ['holds another type', (redis: Redis, key: string) => redis.rpush(key, 'x')],
    ['is too short', (redis: Redis, key: string) => redis.set(key, 'x')],
    ['is too long', (redis: Redis, key: string) => redis.set(key, stateSeenAt(0, 98))],
    ['was written at no time', (redis: Redis, key: string) => redis.set(key, stateSeenAt(0.5, 97))],
    ['is of another version', (redis: Redis, key: string) => redis.set(key, stateSeenAt(0, 97, 2))],
  ])('because it %s is one organization’s trouble, and told once', async (_, spoil) => {
    await using parts = await openQuota();
    await parts.redis.del('sluice:quota:{spoilt}');
    await spoil(parts.redis, 'sluice:quota:{spoilt}');
    for (let time = 0; time < 8; time += 1) {
      expect(await parts.admit('spoilt')).toBe('unavailable');
    }
    expect(parts.breaker()).toBe('closed');
    expect(await parts.admit('sound')).toBe('admitted');
    expect(parts.said('the state of an organization cannot be used')).toHaveLength(1);
  });

  it('leaves those that are decided with it alone, and is itself left as it was', async () => {
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

describe('a store that answers and cannot write', () => {
  it('charges none of several that are decided together', async () => {
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

  it('is given up until it can, and the reason is told once', async () => {
    await using parts = await openQuota();
    const answersBefore = parts.said('the store answers').length;
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
      expect(parts.said('the store answers')).toHaveLength(answersBefore);
      const [reason, ...more] = parts.said('the store failed');
      expect(JSON.parse(reason ?? '{}')).toMatchObject({ level: 'warn', reason: 'OOM' });
      expect(more).toHaveLength(0);
    } finally {
      await parts.redis.config('SET', 'maxmemory', '0');
    }
    await waitUntil(async () => (await parts.admit('full')) === 'admitted', { what: 'recovery' });
    const probes = await parts.redis.keys('*:probe');
    for (const key of probes) expect(await parts.redis.pttl(key)).toBeLessThanOrEqual(1_000);
  });

  it('but now and then is not given up', async () => {
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
    expect(parts.said('the store does not answer')).toHaveLength(0);
  });

  it('because it was made a replica is left each time, but does not fill the log', async () => {
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
      expect(parts.said('the store failed')[0]).toContain('"reason":"READONLY"');
      // A machine that stands still makes some connection look as if it had lasted.
      expect(parts.said('to Redis').length).toBeLessThan(10);
    } finally {
      await parts.redis.replicaof('NO', 'ONE');
    }
    await waitUntil(async () => (await parts.admit('demoted')) === 'admitted', {
      what: 'recovery',
    });
  });
});

describe('a store that throws keys away when it is full', () => {
  it('is told of, but not one that has no bound, or refuses writes instead', async () => {
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
    const warnings = () => parts.said('set its maxmemory-policy to noeviction');
    await waitUntil(() => warnings().length === 1, { what: 'the warning' });
    expect(warnings()[0]).toContain('"policy":"volatile-lru"');
  });
});

/** As the script packs one: a version, then the time at which it was written, then nothing but zeros. */
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
