import { readFileSync } from 'node:fs';
import { credentials, makeClientConstructor, type Client, type ServiceError } from '@grpc/grpc-js';
import { useCertificates, useLeakCheck } from '@sluice/devkit';
import { serveCatalog } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { service } from 'grpc-health-check';
import { describe, expect, it } from 'vitest';

useLeakCheck();

const certificates = useCertificates();
const logger = createLogger({ service: 'test', level: 'silent' });

interface HealthClient extends Client {
  check(
    request: { service: string },
    callback: (error: ServiceError | null, reply?: { status: string }) => void,
  ): void;
}

const HealthClientClass = makeClientConstructor(service, 'Health');

function ask(client: HealthClient, name: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  client.check({ service: name }, (error, reply) => {
    if (error !== null) reject(error);
    else resolve(reply?.status ?? '');
  });
  return promise;
}

const address = { host: '127.0.0.1', port: 0 };
const handlers = { resolveCredential: async () => ({}), listModels: async () => ({}) };

describe('the standard health service', () => {
  it('reports that the server and its service are serving', async () => {
    await using server = await serveCatalog({ ...address, logger, handlers });
    const client = new HealthClientClass(
      server.address,
      credentials.createInsecure(),
    ) as unknown as HealthClient;
    expect(await ask(client, '')).toBe('SERVING');
    expect(await ask(client, 'sluice.catalog.v1.Catalog')).toBe('SERVING');
    await expect(ask(client, 'sluice.unknown.v1.Unknown')).rejects.toMatchObject({ code: 5 });
    client.close();
  });

  it('uses TLS and client certificates if its server does', async () => {
    const { authority, server, client: caller } = certificates;
    const identity = {
      certificate: readFileSync(server.certificate, 'utf8'),
      privateKey: readFileSync(server.key, 'utf8'),
    };
    const tls = { identity, clientAuthority: readFileSync(authority, 'utf8') };
    await using called = await serveCatalog({ ...address, tls, logger, handlers });
    const client = new HealthClientClass(
      called.address.replace('127.0.0.1', 'localhost'),
      credentials.createSsl(
        readFileSync(authority),
        readFileSync(caller.key),
        readFileSync(caller.certificate),
      ),
    ) as unknown as HealthClient;
    expect(await ask(client, 'sluice.catalog.v1.Catalog')).toBe('SERVING');
    client.close();
  });
});
