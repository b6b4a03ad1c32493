import { useCertificates, useLeakCheck, useRedis, waitUntil } from '@sluice/devkit';
import { connectQuota, readRpcClientTls } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { expect, it } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { start, type RunningQuota } from '../src/start.ts';
import { ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';

useLeakCheck();
const redis = useRedis();
const { authority, server, client } = useCertificates();
const logger = createLogger({ service: 'test', level: 'silent' });

function startQuota(environment: Readonly<Record<string, string>>): Promise<RunningQuota> {
  const settings = readQuotaSettings({
    PORT: '0',
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: `${redis.namespace}:`,
    REDIS_DEADLINE_MS: '2000',
    GRPC_TLS: 'true',
    GRPC_CERT_FILE: server.certificate,
    GRPC_KEY_FILE: server.key,
    ...environment,
  });
  return start(settings, logger);
}

const trusting = { GRPC_TLS: 'true', GRPC_CA_FILE: authority };
const known = { ...trusting, GRPC_CERT_FILE: client.certificate, GRPC_KEY_FILE: client.key };

function connect({ address }: RunningQuota, environment: Readonly<Record<string, string>>) {
  const tls = readRpcClientTls(environment);
  return connectQuota({ addresses: [address], deadlineMs: 2_000, tls, logger });
}

const request = { organization: 'acme', limits: UNLIMITED, revision: REVISION, ...ONE_REQUEST };

it('admits over TLS', async () => {
  await using quota = await startQuota({});
  await using gateway = connect(quota, trusting);
  await gateway.ready();
  expect(await gateway.admit(request)).toMatchObject({ outcome: 'admitted' });
});

it('admits only clients with a certificate if it requires one', async () => {
  await using quota = await startQuota({ GRPC_CLIENT_CA_FILE: authority });
  await using gateway = connect(quota, known);
  await gateway.ready();
  expect(await gateway.admit(request)).toMatchObject({ outcome: 'admitted' });
  for (const environment of [trusting, {}]) {
    await using stranger = connect(quota, environment);
    await waitUntil(() => stranger.state().faults[quota.address] !== undefined, {
      what: 'the fault to be found',
    });
    expect(await stranger.admit(request)).toEqual({ outcome: 'unavailable' });
    await expect(stranger.peek(request)).rejects.toMatchObject({ code: 'unavailable' });
  }
});

it('does not start with the key of another certificate', async () => {
  await expect(startQuota({ GRPC_KEY_FILE: client.key })).rejects.toThrow(
    'GRPC_KEY_FILE: is not a PEM file of the private key of GRPC_CERT_FILE',
  );
});
