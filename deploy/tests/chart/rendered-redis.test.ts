import { cannotRun } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';
import { PASSWORDS } from './example-values.ts';
import { helmMissing, refusalOf, renderChart } from './helm.ts';

const several = `redis://:${PASSWORDS.redis}@one:6379,redis://two:6379`;
const ofDatabase = `redis://:${PASSWORDS.redis}@one:6379/0,redis://two:6379/2`;
const urlSecret = { name: 'redis' };

describe.skipIf(cannotRun('the Redis of the Helm chart', helmMissing()))('Redis', () => {
  test.each([
    [
      'a password of sentinels without sentinels',
      { redis: { sentinelPasswordSecret: { name: 'redis' } } },
      'redis.sentinelPasswordSecret is for sentinels: set redis.mode: sentinel',
    ],
    [
      'a master of sentinels in a cluster',
      { redis: { mode: 'cluster' }, quota: { settings: { REDIS_SENTINEL_NAME: 'main' } } },
      'REDIS_SENTINEL_NAME is for sentinels: set redis.mode: sentinel',
    ],
    [
      'several addresses of one server',
      { redis: { url: several } },
      'redis.url: must be one address, unless redis.mode is sentinel or cluster',
    ],
    [
      'a database of a cluster, by its number',
      { redis: { mode: 'cluster', urlSecret }, quota: { settings: { REDIS_DATABASE: 3 } } },
      'REDIS_DATABASE must not be set: a cluster has database 0 alone',
    ],
    [
      'a database of a cluster, in quotes',
      { redis: { mode: 'cluster' }, quota: { settings: { REDIS_DATABASE: '3' } } },
      'REDIS_DATABASE must not be set: a cluster has database 0 alone',
    ],
    [
      'a database of a cluster, in an address',
      { redis: { mode: 'cluster', url: ofDatabase } },
      'redis.url: must name no database: a cluster has database 0 alone',
    ],
    [
      'TLS to some servers alone',
      { redis: { mode: 'cluster', url: 'redis://one:6379,rediss://two:6379' } },
      'redis.url: must be all redis:// or all rediss://',
    ],
  ])('with %s is refused, without showing a password', async (_, values, complaint) => {
    const refusal = await refusalOf(values);
    expect(refusal).toContain(complaint);
    expect(refusal).not.toContain(PASSWORDS.redis);
  });

  test.each([
    ['a cluster of several nodes', { mode: 'cluster', url: several }, { REDIS_DATABASE: 0 }],
    ['a database of one server', { url: 'redis://one:6379/2' }, { REDIS_DATABASE: 3 }],
    ['databases of sentinels', { mode: 'sentinel', url: ofDatabase }, { REDIS_DATABASE: '2' }],
    ['the usual master', { url: 'redis://one:6379' }, { REDIS_SENTINEL_NAME: 'mymaster' }],
    ['no settings at all', {}, null],
    // With urlSecret, the content of url is not used.
    ['addresses in a Secret', { urlSecret, url: several }, {}],
  ])('may be %s', async (_, redis, settings) => {
    expect(await renderChart({ redis, quota: { settings } })).not.toEqual([]);
  });
});
