import { describeDefaults, documentedSettings } from '@sluice/devkit';
import { ConfigurationError } from '@sluice/service';
import { describe, expect, test } from 'vitest';
import { SETTING_NAMES, readGatewaySettings } from './config.ts';

const needed = {
  NATS_URL: 'nats://127.0.0.1:4222',
  QUOTA_ADDRESSES: '127.0.0.1:1',
  CATALOG_ADDRESSES: '127.0.0.1:2',
};

describe('the times of a completion', () => {
  test('default to the values of the interface', () => {
    expect(readGatewaySettings(needed)).toMatchObject({
      LATE_STATUS_MS: 10_000,
      QUEUE_TIMEOUT_MS: 30_000,
      KEEPALIVE_MS: 15_000,
    });
    expect(readGatewaySettings({ ...needed, QUEUE_TIMEOUT_MS: '5000' })).toMatchObject({
      QUEUE_TIMEOUT_MS: 5_000,
    });
  });
});

test('the threads that validate bodies, and the time and memory for one body, can be set', () => {
  expect(readGatewaySettings(needed)).toMatchObject({
    EXAMINATION_THREADS: 2,
    EXAMINATION_LIMIT_MS: 3_000,
    EXAMINATION_HEAP_MEBIBYTES: 512,
  });
  expect(readGatewaySettings({ ...needed, EXAMINATION_THREADS: '4' })).toMatchObject({
    EXAMINATION_THREADS: 4,
  });
  expect(() => readGatewaySettings({ ...needed, EXAMINATION_THREADS: '0' })).toThrow(
    'EXAMINATION_THREADS',
  );
});

test('the prefix of subjects may have several parts', () => {
  expect(readGatewaySettings({ ...needed, SUBJECT_PREFIX: 'prod.sluice' })).toMatchObject({
    SUBJECT_PREFIX: 'prod.sluice',
  });
});

test.each([
  ['an address of another protocol', { NATS_URL: 'http://bus:4222' }],
  ['certificates for a bus without TLS', { NATS_CA_FILE: '/ca.pem' }],
  ['an authority for calls in the clear', { GRPC_CA_FILE: '/ca.pem' }],
  ['a quota with a scheme', { QUOTA_ADDRESSES: 'http://quota:50051' }],
  ['a catalog without a port', { CATALOG_ADDRESSES: 'catalog:7002,catalog' }],
  ['less time for a request than for its headers', { REQUEST_TIMEOUT_MS: '9999' }],
  ['an origin with a closing slash', { CORS_ORIGINS: 'https://app.example/' }],
  ['an origin with its usual port', { CORS_ORIGINS: 'https://app.example:443' }],
  ['an origin without a scheme', { CORS_ORIGINS: 'https://app.example,other.example' }],
  ['an origin with a wildcard', { CORS_ORIGINS: 'https://*.example' }],
  ['* together with an origin', { CORS_ORIGINS: '*,https://app.example' }],
  ['a header name with a space', { RETENTION_HEADER: 'Data Retention' }],
  ['a header that frames replies', { RETENTION_HEADER: 'content-length' }],
  ['a header of every reply', { RETENTION_HEADER: 'date' }],
  ['a header of the interface', { RETENTION_HEADER: 'x-request-id' }],
  ['a header of the limits', { RETENTION_HEADER: 'x-ratelimit-reset-tokens-day' }],
  ['a CORS header', { RETENTION_HEADER: 'access-control-allow-origin' }],
])('%s is refused', (_, environment) => {
  const [name] = Object.keys(environment);
  const read = () => readGatewaySettings({ ...needed, ...environment });
  expect(read).toThrow(ConfigurationError);
  expect(read).toThrow(`  ${name}: `);
});

test('origins of websites, applications and files are accepted', () => {
  const origins = [
    'https://app.example',
    'http://[::1]:3000',
    'tauri://localhost',
    'null',
    'file://',
  ];
  const CORS_ORIGINS = origins.join(', ');
  expect(readGatewaySettings({ ...needed, CORS_ORIGINS }).CORS_ORIGINS).toEqual(origins);
});

test('the time for a request may equal the time for its headers', () => {
  const little = { HEADERS_TIMEOUT_MS: '500', REQUEST_TIMEOUT_MS: '500' };
  expect(readGatewaySettings({ ...needed, ...little })).toMatchObject({ REQUEST_TIMEOUT_MS: 500 });
});

test('every setting is documented with its default', async () => {
  const documented = await documentedSettings('gateway');
  expect(documented).toEqual(
    describeDefaults(SETTING_NAMES, readGatewaySettings(needed), [
      'QUOTA_ADDRESSES',
      'CATALOG_ADDRESSES',
    ]),
  );
});
