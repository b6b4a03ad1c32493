import { expect, test } from 'vitest';
import { forgetGivenServers } from './forget-given-servers.ts';

test('addresses of servers are removed together with their credentials', () => {
  const environment = {
    REDIS_URL: 'rediss://somebody',
    REDIS_PASSWORD: 'secret',
    REDIS_CA_FILE: '/ca.pem',
    REDIS_DEADLINE_MS: '50',
    NATS_URL: 'tls://somebody',
    NATS_CA_FILE: '/ca.pem',
    NATS_CREDS_FILE: '/user.creds',
    GRPC_TLS: 'true',
    PATH: '/bin',
  };
  forgetGivenServers(environment);
  expect(environment).toEqual({ REDIS_DEADLINE_MS: '50', PATH: '/bin' });
});
