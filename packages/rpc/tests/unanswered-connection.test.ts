import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { useCertificates, useLeakCheck } from '@sluice/devkit';
import {
  connectCatalog,
  readRpcClientTls,
  rpcServerTls,
  serveCatalog,
  type RpcServer,
  type ServerTls,
} from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { expect, it } from 'vitest';

useLeakCheck();
const { authority, server } = useCertificates();
const logger = createLogger({ service: 'test', level: 'silent' });

interface Door extends AsyncDisposable {
  readonly address: string;
}

/** A proxy in front of a server. It accepts the first connection but never answers on it. */
async function doorThatForgetsTheFirst(to: RpcServer): Promise<Door> {
  const port = Number(to.address.slice(to.address.lastIndexOf(':') + 1));
  let forgotten: Socket | undefined;
  const door = createServer((outside) => {
    if (forgotten === undefined) {
      forgotten = outside.on('error', () => undefined).resume();
      return;
    }
    const inside = createConnection({ port, host: '127.0.0.1' });
    pipeline(outside, inside, outside, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    address: `127.0.0.1:${(door.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      forgotten?.destroy();
      door.close();
      await once(door, 'close');
    },
  };
}

const SECURE = rpcServerTls({
  GRPC_TLS: true,
  GRPC_CERT_FILE: server.certificate,
  GRPC_KEY_FILE: server.key,
});

/** A machine that is switched off after a frozen process accepted a connection behaves the same way. */
it.each<[string, ServerTls | undefined]>([
  ['in the clear', undefined],
  ['over TLS', SECURE],
])('a connection that is accepted and never answered is replaced, %s', async (_, tls) => {
  const handlers = {
    resolveCredential: async () => ({}),
    listModels: async () => ({ models: [] }),
  };
  await using catalog = await serveCatalog({ host: '127.0.0.1', port: 0, tls, handlers, logger });
  await using door = await doorThatForgetsTheFirst(catalog);
  await using caller = connectCatalog({
    addresses: [door.address],
    deadlineMs: 1_000,
    tls: tls && readRpcClientTls({ GRPC_TLS: 'true', GRPC_CA_FILE: authority }),
    logger,
  });
  await caller.ready();
  expect(await caller.listModels({ organization: 'acme' })).toMatchObject({ models: [] });
});
