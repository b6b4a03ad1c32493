import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { useCertificates, useLeakCheck, type CertificateFiles } from '@sluice/devkit';
import { rpcServerTls, serveCatalogAdmin, serveQuota, type RpcServer } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogOfAcme, untouchedQuota } from './acme-services.ts';
import { sluice, sluiceProcess } from './run-sluice.ts';

useLeakCheck();
const { authority, server, stranger } = useCertificates();
const logger = createLogger({ service: 'test', level: 'silent' });
const address = { host: '127.0.0.1', port: 0 };

function identity({ certificate, key }: CertificateFiles) {
  return rpcServerTls({ GRPC_TLS: true, GRPC_CERT_FILE: certificate, GRPC_KEY_FILE: key });
}

function quotaOf(shown: CertificateFiles): Promise<RpcServer> {
  return serveQuota({
    ...address,
    tls: identity(shown),
    handlers: untouchedQuota,
    logger,
  });
}

let catalog: RpcServer;
beforeAll(async () => {
  catalog = await serveCatalogAdmin({
    ...address,
    tls: identity(server),
    handlers: catalogOfAcme,
    authenticate: () => 'operator',
    logger,
  });
});
afterAll(async () => {
  await catalog[Symbol.asyncDispose]();
});

function limits(quota: RpcServer) {
  const places = ['--address', catalog.address, '--quota', quota.address];
  const settings = { GRPC_TLS: 'true', GRPC_CA_FILE: authority, SLUICE_ADMIN_TOKEN: 'any' };
  return sluice(['limits', 'acme', '--json', ...places], settings);
}

test('limits are read over TLS, from the catalog and the quota service', async () => {
  await using quota = await quotaOf(server);
  const { code, stdout, stderr } = await limits(quota);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    organization: 'acme',
    limits: { requests_per_minute: { limit: 60, remaining: 60 } },
  });
});

test('a quota service whose certificate is not trusted is named, with advice', async () => {
  await using quota = await quotaOf(stranger);
  expect(await limits(quota)).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice limits: the quota service at ${quota.address} cannot be reached: its certificate is not from a trusted authority: GRPC_CA_FILE sets the trusted ones\n`,
  });
});

test('a command ends although a catalog accepts its connection and never answers', async () => {
  const taken: Socket[] = [];
  const silent = createServer((socket) => taken.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const place = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const settings = { GRPC_TLS: 'true', GRPC_CA_FILE: authority, SLUICE_ADMIN_TOKEN: 'any' };
  expect(await sluiceProcess(['get', 'plans', '--address', place], settings)).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice get: the catalog at ${place} does not answer; try again when it is up\n`,
  });
  for (const socket of taken) socket.destroy();
  silent.close();
});
