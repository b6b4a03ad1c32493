import { describeDefaults, documentedSettings } from '@sluice/devkit';
import { ConfigurationError } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES, readConsoleSettings } from './config.ts';

const KEY = Buffer.alloc(32, 1).toString('base64url');
const NEEDED = {
  PUBLIC_URL: 'https://console.example',
  API_URL: 'https://api.example/compat/v1',
  COOKIE_KEYS: KEY,
  ASSERTION_KEY: `console:${KEY}`,
  CATALOG_ADMIN_ADDRESSES: 'catalog:7003',
};
const PROVIDER = {
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'a',
  OIDC_CLIENT_SECRET: 'b',
};

describe('the settings of the console', () => {
  it('need keys, addresses and nothing else', () => {
    expect(readConsoleSettings(NEEDED)).toMatchObject({ PUBLIC_URL: 'https://console.example' });
    expect(readConsoleSettings({ ...NEEDED, ...PROVIDER })).toMatchObject(PROVIDER);
  });

  it.each([
    ['a path in the address', 'PUBLIC_URL', { PUBLIC_URL: 'https://example.org/console' }],
    ['a short key', 'COOKIE_KEYS', { COOKIE_KEYS: 'secret' }],
    ['one short key of two', 'COOKIE_KEYS', { COOKIE_KEYS: `${KEY},secret` }],
    ['a half of a provider', 'OIDC_CLIENT_ID', { ...PROVIDER, OIDC_CLIENT_ID: '' }],
    ['a provider without TLS', 'OIDC_ISSUER', { ...PROVIDER, OIDC_ISSUER: 'http://id.example' }],
    ['a token without an address', 'USAGE_ADDRESS', { USAGE_TOKEN: 'secret'.repeat(8) }],
    ['a name as a proxy', 'TRUSTED_PROXIES', { TRUSTED_PROXIES: 'ingress' }],
  ])('refuse %s, without repeating a secret', (_, name, wrong) => {
    const read = () => readConsoleSettings({ ...NEEDED, ...wrong });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(name);
    expect(read).not.toThrow(/secret/);
  });
});

it('every setting is documented, with its default', async () => {
  const needed = Object.keys(NEEDED);
  const defaults = {
    ...readConsoleSettings(NEEDED),
    ...Object.fromEntries(needed.map((name) => [name, undefined])),
  };
  expect(await documentedSettings('console')).toEqual(
    describeDefaults(SETTING_NAMES, defaults, needed),
  );
});
