import { describeDefaults, documentedSettings } from '@sluice/devkit';
import { ConfigurationError } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES, readQuotaSettings } from './config.ts';
import { redisSettings } from './redis/redis-settings.ts';

const SECURE = { REDIS_URL: 'rediss://a' };

describe('the settings of quota', () => {
  it('all have defaults', () => {
    const settings = redisSettings(readQuotaSettings({}));
    expect(settings).toMatchObject({ mode: 'single', database: 0, password: undefined });
    expect(settings.urls.map(String)).toStrictEqual(['redis://127.0.0.1:6379']);
  });

  it('take user, password and database from the address, unless their own settings are set', () => {
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

  it('accept a list of sentinels or cluster nodes', () => {
    const environment = { REDIS_MODE: 'sentinel', REDIS_URL: 'redis://a:26379, redis://b:26379' };
    expect(redisSettings(readQuotaSettings(environment)).urls).toHaveLength(2);
  });

  it.each([
    ['an address of another protocol', { REDIS_URL: 'http://a' }],
    ['an address that is none', { REDIS_URL: 'redis://a,nonsense' }],
    ['a password with a bare %', { REDIS_URL: 'redis://:100%@a' }],
    ['several servers where one is used', { REDIS_URL: 'redis://a,redis://b' }],
    ['certificates that plain text ignores', { REDIS_CA_FILE: '/a.pem', REDIS_URL: 'redis://a' }],
    ['a database in a cluster', { REDIS_DATABASE: '3', REDIS_MODE: 'cluster' }],
    ['an address of a database in a cluster', { REDIS_URL: 'redis://a/3', REDIS_MODE: 'cluster' }],
    ['options in an address', { REDIS_URL: 'redis://a?db=3' }],
    ['a user with a bare #', { REDIS_URL: 'redis://me#1:secret@a' }],
    ['a name of a master without sentinels', { REDIS_SENTINEL_NAME: 'quota' }],
    ['a password of sentinels without them', { REDIS_SENTINEL_PASSWORD: 'a' }],
    ['a database that is no number', { REDIS_URL: 'redis://a/one' }],
    ['a mixture of secure and plain addresses', { REDIS_URL: 'redis://a,rediss://b' }],
    ['a certificate without its key', { REDIS_CERT_FILE: '/a.pem', ...SECURE }],
    ['a key without its certificate', { REDIS_KEY_FILE: '/a.pem', ...SECURE }],
    ['TLS for callers without a certificate', { GRPC_TLS: 'true' }],
    ['an authority for calls in the clear', { GRPC_CLIENT_CA_FILE: '/a.pem' }],
    ['an unknown mode', { REDIS_MODE: 'ring' }],
    ['a port out of range', { PORT: '70000' }],
    ['a deadline of nothing', { REDIS_DEADLINE_MS: '0' }],
  ])('refuse %s in one readable line', (_, environment) => {
    const [name] = Object.keys(environment);
    expect(() => readQuotaSettings(environment)).toThrow(ConfigurationError);
    expect(() => readQuotaSettings(environment)).toThrow(`${name}`);
  });

  it.each([
    ['REDIS_CA_FILE', '/no/such/file', 'the file /no/such/file cannot be read'],
    ['REDIS_CA_FILE', import.meta.filename, 'is not a PEM file of certificates'],
  ])('refuse %s=%s before anything is connected', (name, path, problem) => {
    const read = () => redisSettings(readQuotaSettings({ ...SECURE, [name]: path }));
    expect(read).toThrow(new ConfigurationError(`a setting is wrong:\n  ${name}: ${problem}`));
  });

  it('never repeat a password in an error message', () => {
    for (const REDIS_URL of ['redis://:secret@a,http://:secret@b', 'redis://:secret%@a']) {
      const read = () => readQuotaSettings({ REDIS_URL });
      expect(read).toThrow(ConfigurationError);
      expect(read).not.toThrow(/secret/);
    }
  });
});

it('every setting is documented, with its default', async () => {
  const documented = await documentedSettings('quota');
  expect(documented).toEqual(describeDefaults(SETTING_NAMES, readQuotaSettings({}), []));
});
