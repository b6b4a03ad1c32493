import { ConfigurationError } from '@sluice/host';
import { describe, expect, it } from 'vitest';
import { readBusAccess } from './bus-settings.ts';

describe('the settings of the bus', () => {
  it('are an address, and nothing else unless it is wanted', () => {
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
    ['NATS_CREDS_FILE', import.meta.filename, 'is no file of NATS credentials'],
  ])('refuse %s=%s before anything is connected', (name, path, problem) => {
    const read = () => readBusAccess({ NATS_URL: 'tls://a', [name]: path });
    expect(read).toThrow(new ConfigurationError(`a setting is wrong:\n  ${name}: ${problem}`));
  });
});
