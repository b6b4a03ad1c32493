import { describeDefaults, documentedSettings } from '@sluice/devkit';
import { ConfigurationError } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES, readUsageSettings } from './config.ts';

const FOLDER = { DATABASE_FOLDER: '/tables' };
const SERVER = { DATABASE_URL: 'postgres://sluice@db:5432/usage' };

describe('the settings of usage', () => {
  it('need a database, and have defaults for everything else', () => {
    expect(readUsageSettings(FOLDER)).toMatchObject({ REQUEST_DAYS: 35, SUM_DAYS: 800 });
    expect(readUsageSettings({ ...SERVER, DATABASE_PASSWORD: 'open' })).toMatchObject(SERVER);
  });

  it.each([
    ['no database', 'DATABASE_URL', {}],
    ['two databases', 'DATABASE_URL', { ...FOLDER, ...SERVER }],
    ['an address of another database', 'DATABASE_URL', { DATABASE_URL: 'mysql://db/usage' }],
    ['an address without a database', 'DATABASE_URL', { DATABASE_URL: 'postgres://db' }],
    ['options in an address', 'DATABASE_URL', { DATABASE_URL: 'postgres://db/a?sslmode=disable' }],
    ['a password for a folder', 'DATABASE_PASSWORD', { ...FOLDER, DATABASE_PASSWORD: 'secret' }],
    ['TLS for a folder', 'DATABASE_TLS', { ...FOLDER, DATABASE_TLS: 'true' }],
    [
      'two passwords',
      'DATABASE_PASSWORD',
      { DATABASE_URL: 'postgres://a:secret@db/usage', DATABASE_PASSWORD: 'secret' },
    ],
    ['an authority without TLS', 'DATABASE_CA_FILE', { ...SERVER, DATABASE_CA_FILE: '/ca.pem' }],
    ['sums that end before requests', 'SUM_DAYS', { ...FOLDER, SUM_DAYS: '7' }],
    ['a short token', 'ADMIN_TOKENS', { ...FOLDER, ADMIN_TOKENS: 'ops:short' }],
  ])('refuse %s, without repeating a password', (_, name, environment) => {
    const read = () => readUsageSettings(environment);
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(name);
    expect(read).not.toThrow(/secret/);
  });
});

it('every setting is documented, with its default', async () => {
  const defaults = { ...readUsageSettings(FOLDER), DATABASE_FOLDER: undefined };
  expect(await documentedSettings('usage')).toEqual(describeDefaults(SETTING_NAMES, defaults, []));
});
