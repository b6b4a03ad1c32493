import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@sluice/service';
import { afterAll, describe, expect, it } from 'vitest';
import { readBusAccess } from './bus-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-bus-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fixture = (name: string) => join(import.meta.dirname, '../tests/fixtures/tls', name);
const certificate = fixture('named-certificate.pem');
const key = fixture('named-key.pem');
const pem = readFileSync(certificate, 'utf8');

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the settings of the bus', () => {
  it('are only an address unless more is set', () => {
    expect(readBusAccess({ NATS_URL: 'nats://me:secret@a, nats://b' })).toEqual({
      servers: ['nats://me:secret@a', 'nats://b'],
    });
  });

  it.each([
    ['an address that is none', { NATS_URL: 'nats://me:secret@a:b' }],
    ['a certificate without its key', { NATS_CERT_FILE: '/secret.pem', NATS_URL: 'tls://a' }],
    ['a key without its certificate', { NATS_KEY_FILE: '/secret.pem', NATS_URL: 'tls://a' }],
    ['certificates that plain text ignores', { NATS_CA_FILE: '/secret.pem', NATS_URL: 'nats://a' }],
    ['credentials and a token', { NATS_CREDS_FILE: '/secret', NATS_URL: 'nats://secret@a' }],
  ])('refuse %s by name', (_, environment) => {
    const [name] = Object.keys(environment);
    expect(() => readBusAccess(environment)).toThrow(ConfigurationError);
    expect(() => readBusAccess(environment)).toThrow(name);
    expect(() => readBusAccess(environment)).not.toThrow(/secret/);
  });

  it.each([
    ['NATS_CA_FILE', '/no/such/file', 'the file /no/such/file cannot be read'],
    ['NATS_CREDS_FILE', '/no/such/file', 'the file /no/such/file cannot be read'],
    ['NATS_CREDS_FILE', import.meta.filename, 'is not a file of NATS credentials'],
  ])('refuse %s=%s before anything is connected', (name, path, problem) => {
    const read = () => readBusAccess({ NATS_URL: 'tls://a', [name]: path });
    expect(read).toThrow(new ConfigurationError(`a setting is wrong:\n  ${name}: ${problem}`));
  });

  it('accept certificates with text and other certificates before them', () => {
    const bundle = file('bundle.pem', `an authority\n============\n${pem}\nanother\n${pem}`);
    const access = readBusAccess({
      NATS_URL: 'tls://a',
      NATS_CA_FILE: bundle,
      NATS_CERT_FILE: certificate,
      NATS_KEY_FILE: key,
    });
    expect(access).toMatchObject({
      certificateAuthority: readFileSync(bundle, 'utf8'),
      certificate: pem,
      privateKey: readFileSync(key, 'utf8'),
    });
  });

  const none = 'is not a PEM file of certificates';
  const notTheKey = 'is not a PEM file of the private key of NATS_CERT_FILE, without a passphrase';
  it.each([
    ['nothing', 'NATS_CA_FILE', file('empty.pem', ''), none],
    ['a key for an authority', 'NATS_CA_FILE', key, none],
    ['an authority cut short', 'NATS_CA_FILE', file('cut.pem', pem.slice(0, 200)), none],
    ['a damaged second one', 'NATS_CA_FILE', file('half.pem', pem + pem.slice(0, 200)), none],
    ['a key for a certificate', 'NATS_CERT_FILE', key, none],
    ['a certificate for a key', 'NATS_KEY_FILE', certificate, notTheKey],
    ['an empty key', 'NATS_KEY_FILE', file('empty-key.pem', ''), notTheKey],
    ['the key of another', 'NATS_KEY_FILE', fixture('numbered-key.pem'), notTheKey],
  ])('refuse %s in %s', (_, name, path, problem) => {
    const pair = { NATS_CERT_FILE: certificate, NATS_KEY_FILE: key };
    const read = () => readBusAccess({ NATS_URL: 'tls://a', ...pair, [name]: path });
    expect(read).toThrow(new ConfigurationError(`a setting is wrong:\n  ${name}: ${problem}`));
  });
});
