import { describeDefaults, documentedSettings } from '@sluice/devkit';
import { ConfigurationError } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES, readCatalogSettings } from './config.ts';

function refusalOf(tokens: string): string {
  try {
    readCatalogSettings({ ADMIN_TOKENS: tokens });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
  }
  throw new Error('the settings were not refused');
}

describe("the catalog's settings", () => {
  it('have defaults, with the admin port closed', () => {
    expect(readCatalogSettings({})).toMatchObject({
      NATS_URL: ['nats://127.0.0.1:4222'],
      SUBJECT_PREFIX: 'sluice',
      CATALOG_BUCKET: 'sluice-catalog',
      CATALOG_REPLICAS: 1,
      CATALOG_HISTORY: 64,
    });
    expect(readCatalogSettings({}).ADMIN_TOKENS).toBeUndefined();
  });

  it('read named admin tokens', () => {
    const { ADMIN_TOKENS } = readCatalogSettings({
      ADMIN_TOKENS: 'ada:0123456789abcdef, ci@example.com:a:b=c/d+e-f_g.h~i',
    });
    expect(Array.from(ADMIN_TOKENS ?? [])).toEqual([
      ['ada', '0123456789abcdef'],
      ['ci@example.com', 'a:b=c/d+e-f_g.h~i'],
    ]);
  });

  it.each([
    ['without a name', '0123456789abcdef'],
    ['too short', 'ada:0123456789abcde'],
    ['twice of one name', 'ada:0123456789abcdef,ada:fedcba9876543210'],
    ["of the catalog's own name", 'catalog:0123456789abcdef'],
    ['with a space in it', 'ada:0123456789 abcdef'],
  ])('refuse a token %s, and do not repeat it', (_name, tokens) => {
    const message = refusalOf(tokens);
    expect(message).toContain('ADMIN_TOKENS: must be name:token pairs');
    expect(message).not.toContain('0123456789');
  });

  it('refuse one token under two names, and say which names, but not the token', () => {
    const message = refusalOf('ada:0123456789abcdef,eve:fedcba9876543210,bob:0123456789abcdef');
    expect(message).toContain(
      'ADMIN_TOKENS: must give each name a token of its own: ada and bob have the same',
    );
    expect(message).not.toContain('0123456789');
  });

  it.each([
    ['CATALOG_REPLICAS', '2'],
    ['CATALOG_HISTORY', '0'],
    ['CATALOG_HISTORY', '65'],
    ['CATALOG_BUCKET', 'a.b'],
    ['SUBJECT_PREFIX', 'a.*'],
    ['PORT', '70000'],
    ['NATS_URL', 'http://bus:4222'],
  ])('refuse %s=%s', (name, value) => {
    expect(() => readCatalogSettings({ [name]: value })).toThrow(`${name}: must be`);
  });

  it('refuse certificates for a bus without TLS', () => {
    expect(() => readCatalogSettings({ NATS_CA_FILE: '/ca.pem' })).toThrow('NATS_CA_FILE: is for');
  });

  it('refuse authorities for ports that are without TLS or closed', () => {
    for (const name of ['GRPC_CLIENT_CA_FILE', 'ADMIN_CLIENT_CA_FILE']) {
      expect(() => readCatalogSettings({ [name]: '/ca.pem' })).toThrow(
        `${name}: is for TLS: set GRPC_TLS=true`,
      );
    }
    const secure = { GRPC_TLS: 'true', GRPC_CERT_FILE: '/a.pem', GRPC_KEY_FILE: '/a.pem' };
    const closed = { ...secure, ADMIN_CLIENT_CA_FILE: '/ca.pem' };
    expect(() => readCatalogSettings(closed)).toThrow(
      'ADMIN_CLIENT_CA_FILE: is for the admin port',
    );
    const open = { ...closed, ADMIN_TOKENS: 'ada:0123456789abcdef' };
    expect(readCatalogSettings(open)).toMatchObject({ ADMIN_CLIENT_CA_FILE: '/ca.pem' });
  });
});

it.each([
  [{ BUDGET_TOKENS: 'usage:0123456789abcdef' }, 'is for the admin port'],
  [
    { BUDGET_TOKENS: 'ada:0123456789abcdef', ADMIN_TOKENS: 'ada:fedcba9876543210' },
    'must have other names',
  ],
])('refuses tokens of usage that could do nothing or be mistaken for others', (tokens, reason) => {
  expect(() => readCatalogSettings(tokens)).toThrow(`BUDGET_TOKENS: ${reason}`);
});

describe('keys of consoles', () => {
  const key = Buffer.alloc(32, 1).toString('base64url');

  it('open the admin port, and are needed for a plan', () => {
    const settings = readCatalogSettings({
      CONSOLE_KEYS: `a:${key},b:${key}`,
      CONSOLE_PLAN: 'free',
    });
    expect(Array.from(settings.CONSOLE_KEYS?.keys() ?? [])).toEqual(['a', 'b']);
    const withUsage = { CONSOLE_KEYS: `a:${key}`, BUDGET_TOKENS: 'usage:0123456789abcdef' };
    expect(readCatalogSettings(withUsage).BUDGET_TOKENS?.has('usage')).toBe(true);
    expect(() => readCatalogSettings({ CONSOLE_PLAN: 'free' })).toThrow(
      'CONSOLE_PLAN: is for web consoles: set CONSOLE_KEYS',
    );
  });
});

it('every setting is documented, with its default', async () => {
  const documented = await documentedSettings('catalog');
  expect(documented).toEqual(describeDefaults(SETTING_NAMES, readCatalogSettings({}), []));
});
