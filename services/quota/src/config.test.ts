import { ConfigurationError } from '@sluice/host';
import { describe, expect, it } from 'vitest';
import { readQuotaSettings } from './config.ts';
import { redisSettings } from './redis/redis-settings.ts';

describe('the settings of quota', () => {
  it('need nothing to be set', () => {
    const settings = redisSettings(readQuotaSettings({}));
    expect(settings).toMatchObject({ mode: 'single', database: 0, password: undefined });
    expect(settings.urls.map(String)).toStrictEqual(['redis://127.0.0.1:6379']);
  });

  it('take name, password and database from the address, and variables before it', () => {
    const address = 'rediss://me:p%40ss@redis.example:6380/3';
    expect(redisSettings(readQuotaSettings({ REDIS_URL: address }))).toMatchObject({
      username: 'me',
      password: 'p@ss',
      database: 3,
    });
    const overridden = { REDIS_URL: address, REDIS_PASSWORD: 'other', REDIS_DATABASE: '4' };
    expect(redisSettings(readQuotaSettings(overridden))).toMatchObject({
      username: 'me',
      password: 'other',
      database: 4,
    });
  });

  it('take a list of sentinels or cluster nodes', () => {
    const environment = { REDIS_MODE: 'sentinel', REDIS_URL: 'redis://a:26379, redis://b:26379' };
    expect(redisSettings(readQuotaSettings(environment)).urls).toHaveLength(2);
  });

  it.each([
    ['an address of another protocol', { REDIS_URL: 'http://a' }],
    ['an address that is none', { REDIS_URL: 'redis://a,nonsense' }],
    ['a database that is no number', { REDIS_URL: 'redis://a/one' }],
    ['a mixture of secure and plain addresses', { REDIS_URL: 'redis://a,rediss://b' }],
    ['a certificate without its key', { REDIS_CERT_FILE: '/a.pem' }],
    ['a key without its certificate', { REDIS_KEY_FILE: '/a.pem' }],
    ['an unknown mode', { REDIS_MODE: 'ring' }],
    ['a port out of range', { PORT: '70000' }],
    ['a deadline of nothing', { REDIS_DEADLINE_MS: '0' }],
  ])('refuse %s in one readable line', (_, environment) => {
    const [name] = Object.keys(environment);
    expect(() => readQuotaSettings(environment)).toThrow(ConfigurationError);
    expect(() => readQuotaSettings(environment)).toThrow(`${name}`);
  });

  it('never repeat a password in their complaint', () => {
    const read = () => readQuotaSettings({ REDIS_URL: 'redis://:secret@a,http://:secret@b' });
    expect(read).toThrow(ConfigurationError);
    expect(read).not.toThrow(/secret/);
  });
});
