import { describe, expect, test } from 'vitest';
import { readGatewaySettings } from './config.ts';

const needed = {
  NATS_URL: 'nats://127.0.0.1:4222',
  QUOTA_ADDRESSES: '127.0.0.1:1',
  CATALOG_ADDRESSES: '127.0.0.1:2',
};

describe('the times of a completion', () => {
  test('are those of the interface unless they are set', () => {
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

test('what one body may take of the threads that examine bodies can be set', () => {
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

test('the prefix of subjects may have parts, as in every other service', () => {
  expect(readGatewaySettings({ ...needed, SUBJECT_PREFIX: 'prod.sluice' })).toMatchObject({
    SUBJECT_PREFIX: 'prod.sluice',
  });
});

test.each([
  ['an address of another protocol', { NATS_URL: 'http://bus:4222' }],
  ['certificates for a bus without TLS', { NATS_CA_FILE: '/ca.pem' }],
])('%s is refused', (_, environment) => {
  const [name] = Object.keys(environment);
  expect(() => readGatewaySettings({ ...needed, ...environment })).toThrow(`  ${name}: `);
});
