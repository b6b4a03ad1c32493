import { expect, test } from 'vitest';
import { readBackingEnvironment } from './backing-environment.ts';

const redis = { SLUICE_REDIS_SERVER: '/usr/bin/redis-server' };
const nats = { SLUICE_NATS_SERVER: '/usr/bin/nats-server' };

test('an address has priority over a program', () => {
  expect(
    readBackingEnvironment({
      REDIS_URL: 'rediss://:secret@store:6380/1',
      SLUICE_REDIS_SERVER: '/usr/bin/redis-server',
      NATS_URL: 'nats://one:4222,nats://two:4222',
    }),
  ).toEqual({
    redis: { kind: 'url', url: 'rediss://:secret@store:6380/1' },
    nats: { kind: 'url', url: 'nats://one:4222,nats://two:4222' },
  });
});

test('a program is an absolute path or an image', () => {
  expect(
    readBackingEnvironment({
      REDIS_URL: '',
      SLUICE_REDIS_SERVER: '/a folder/redis-server',
      SLUICE_NATS_SERVER: 'docker:nats:2.10-alpine',
    }),
  ).toEqual({
    redis: { kind: 'executable', path: '/a folder/redis-server' },
    nats: { kind: 'docker', image: 'nats:2.10-alpine' },
  });
});

test('one error names every problem', () => {
  expect(() => readBackingEnvironment({})).toThrow(
    /^No Redis: set REDIS_URL, or SLUICE_REDIS_SERVER .*\nNo NATS: set NATS_URL, or SLUICE_NATS_SERVER .*$/,
  );
});

test.each([
  [{ ...nats, REDIS_URL: 'localhost:6379' }, 'REDIS_URL is not an address of Redis'],
  [{ ...nats, REDIS_URL: 'store' }, 'REDIS_URL is not an address of Redis'],
  [{ ...nats, REDIS_URL: 'unix:///run/redis.sock' }, 'must begin with redis:// or rediss://'],
  [{ ...redis, NATS_URL: 'ws://store' }, 'must begin with nats:// or tls://'],
  [{ ...redis, NATS_URL: 'nats://store,wss://store' }, 'must begin with nats:// or tls://'],
  [{ ...nats, SLUICE_REDIS_SERVER: 'redis-server' }, 'must be an absolute path'],
  [{ ...nats, SLUICE_REDIS_SERVER: 'docker:' }, 'names no image'],
])('%o is refused', (environment, message) => {
  expect(() => readBackingEnvironment(environment)).toThrow(message);
});

test('a refused address is not repeated: it may hold a password', () => {
  expect(() => readBackingEnvironment({ ...nats, REDIS_URL: 'http://:secret@store' })).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('secret') as string }) as Error,
  );
});
