import { credentials, makeClientConstructor, type Client, type ServiceError } from '@grpc/grpc-js';
import { serveCatalog } from '@sluice/rpc';
import { createLogger } from '@sluice/telemetry';
import { useLeakCheck } from '@sluice/testkit';
import { service } from 'grpc-health-check';
import { describe, expect, it } from 'vitest';

useLeakCheck();

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

describe('the standard health service', () => {
  it('says that the server and its service are serving', async () => {
    await using server = await serveCatalog({
      host: '127.0.0.1',
      port: 0,
      logger,
      handlers: {
        resolveCredential: async () => ({}),
        listModels: async () => ({}),
      },
    });
    const client = new HealthClientClass(
      server.address,
      credentials.createInsecure(),
    ) as unknown as HealthClient;
    expect(await ask(client, '')).toBe('SERVING');
    expect(await ask(client, 'sluice.catalog.v1.Catalog')).toBe('SERVING');
    await expect(ask(client, 'sluice.unknown.v1.Unknown')).rejects.toMatchObject({ code: 5 });
    client.close();
  });
});
