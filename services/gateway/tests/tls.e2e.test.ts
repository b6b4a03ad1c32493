import { ServiceProcess, useCertificates, useLeakCheck, useNats, useRedis } from '@sluice/devkit';
import { expect, test } from 'vitest';
import { CompletionClient } from './faults/completion-client.ts';
import { Fleet, startRuntime } from './faults/fleet.ts';

useLeakCheck({ timeoutMs: 10_000 });
const nats = useNats({ own: true });
const redis = useRedis({ own: true });
const { authority, server, client } = useCertificates();

const CALLED = {
  GRPC_TLS: 'true',
  GRPC_CERT_FILE: server.certificate,
  GRPC_KEY_FILE: server.key,
  GRPC_CLIENT_CA_FILE: authority,
};
const CALLING = {
  GRPC_TLS: 'true',
  GRPC_CA_FILE: authority,
  GRPC_CERT_FILE: client.certificate,
  GRPC_KEY_FILE: client.key,
};

test('services with certificates for each other serve requests', async () => {
  const runtime = await startRuntime();
  await using _runtime = runtime.process;
  await using fleet = await Fleet.start({
    natsUrl: nats.url,
    redisUrl: redis.url,
    runtimes: [runtime.url],
    calledSettings: CALLED,
    gatewaySettings: CALLING,
  });
  await fleet.offersTo(1);
  const { key } = await fleet.tenant();
  const [gateway] = fleet.gateways;
  const url = gateway?.url ?? '';
  for (const stream of [false, true]) {
    const name = stream ? 'streamed' : 'whole';
    const asked = new CompletionClient({ url, key, name, steering: { tokens: 20 }, stream });
    expect(await asked.ended).toMatchObject({ ending: 'whole' });
  }
  // Node may not have printed a warning either.
  expect(gateway?.process.lastLines()).not.toMatch(/cannot connect|Warning/);
});

test.each([
  {
    fault: 'a missing file',
    service: 'gateway',
    settings: { GRPC_TLS: 'true', GRPC_CA_FILE: '/no/such/file' },
    complaint: 'GRPC_CA_FILE: the file /no/such/file cannot be read',
  },
  {
    fault: 'an authority for calls in the clear',
    service: 'gateway',
    settings: { GRPC_CA_FILE: authority },
    complaint: 'GRPC_CA_FILE: is for TLS: set GRPC_TLS=true',
  },
  {
    fault: 'TLS without a certificate',
    service: 'quota',
    settings: { GRPC_TLS: 'true' },
    complaint: 'GRPC_TLS: needs GRPC_CERT_FILE and GRPC_KEY_FILE',
  },
  {
    fault: 'the key of another certificate',
    service: 'quota',
    settings: { ...CALLED, GRPC_KEY_FILE: client.key },
    complaint: 'GRPC_KEY_FILE: is not a PEM file of the private key of GRPC_CERT_FILE',
  },
  {
    fault: 'an authority that is a key',
    service: 'catalog',
    settings: { ...CALLED, GRPC_CLIENT_CA_FILE: server.key },
    complaint: 'GRPC_CLIENT_CA_FILE: is not a PEM file of certificates',
  },
])('$service ends with exit code 2 on $fault', async ({ service, settings, complaint }) => {
  await using refused = new ServiceProcess({
    name: service,
    entry: `services/${service}/src/main.ts`,
    settings: {
      QUOTA_ADDRESSES: '127.0.0.1:9',
      CATALOG_ADDRESSES: '127.0.0.1:9',
      // The settings are checked before the service waits for anything.
      NATS_URL: 'nats://127.0.0.1:9',
      REDIS_URL: 'redis://127.0.0.1:9',
      ...settings,
    },
    readyUrl: 'http://127.0.0.1:9',
  });
  await expect(refused.start()).rejects.toThrow(complaint);
  expect(refused.exitCode).toBe(2);
  expect(refused.lastLines()).not.toContain('BEGIN');
});
