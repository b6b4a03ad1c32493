import { expect, test } from 'vitest';
import { withoutAccess } from './backing-access.ts';

const REDIS = {
  REDIS_MODE: 'cluster',
  REDIS_USERNAME: 'me',
  REDIS_PASSWORD: 'secret',
  REDIS_SENTINEL_NAME: 'main',
  REDIS_SENTINEL_PASSWORD: 'secret',
  REDIS_CA_FILE: '/ca.pem',
  REDIS_CERT_FILE: '/cert.pem',
  REDIS_KEY_FILE: '/key.pem',
};
const NATS = {
  NATS_CA_FILE: '/ca.pem',
  NATS_CERT_FILE: '/cert.pem',
  NATS_KEY_FILE: '/key.pem',
  NATS_CREDS_FILE: '/user.creds',
};
const SERVICES = {
  GRPC_TLS: 'true',
  GRPC_CA_FILE: '/ca.pem',
  GRPC_CLIENT_CA_FILE: '/ca.pem',
  GRPC_CERT_FILE: '/cert.pem',
  GRPC_KEY_FILE: '/key.pem',
  ADMIN_CLIENT_CA_FILE: '/ca.pem',
};
const OTHERS = {
  REDIS_URL: 'redis://127.0.0.1:1',
  REDIS_KEY_PREFIX: 'sluice',
  REDIS_DEADLINE_MS: '50',
  NATS_URL: 'nats://127.0.0.1:2',
  GRPC_VERBOSITY: 'ERROR',
  ADMIN_TOKENS: 'me:secret',
  PATH: '/bin',
};
const ENVIRONMENT = { ...REDIS, ...NATS, ...SERVICES, ...OTHERS };

test.each([
  ['nothing', [], ENVIRONMENT],
  ['Redis', ['redis'], { ...NATS, ...SERVICES, ...OTHERS }],
  ['NATS', ['nats'], { ...REDIS, ...SERVICES, ...OTHERS }],
  ['every service', ['services'], { ...REDIS, ...NATS, ...OTHERS }],
  ['everything', ['redis', 'nats', 'services'], OTHERS],
] as const)('what opens servers of others is taken out where %s is our own', (_, own, left) => {
  expect(withoutAccess(ENVIRONMENT, own)).toEqual(left);
});
