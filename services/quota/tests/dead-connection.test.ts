import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { useLeakCheck, useRedis, waitUntil } from '@sluice/devkit';
import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { expect, it } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { start } from '../src/start.ts';
import { ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';

useLeakCheck();
const server = useRedis();
const logger = createLogger({ service: 'test', level: 'silent' });

it('a connection whose peer has vanished is replaced within seconds', async () => {
  await using proxy = await startProxy(server.url);
  const settings = readQuotaSettings({
    PORT: '0',
    REDIS_URL: proxy.url,
    REDIS_KEY_PREFIX: `${server.namespace}:`,
  });
  await using quota = await start(settings, logger);
  await using client = connectQuota({ addresses: [quota.address], logger });
  const admit = () =>
    client.admit({ organization: 'a', limits: UNLIMITED, revision: REVISION, ...ONE_REQUEST });
  const isAdmitted = async () => (await admit()).outcome === 'admitted';
  await client.ready();
  await waitUntil(isAdmitted, { what: 'the first admission' });
  proxy.dropEverything();
  expect(await admit()).toStrictEqual({ outcome: 'unavailable' });
  await waitUntil(isAdmitted, { what: 'admissions over another connection', timeoutMs: 5_000 });
});

/** A proxy whose open connections can be made to drop everything that is sent, like a peer that has vanished. */
async function startProxy(
  target: string,
): Promise<AsyncDisposable & { readonly url: string; dropEverything(): void }> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const end of pair) {
      end.on('error', () => undefined);
      end.on('close', () => {
        for (const each of pair) each.destroy();
        pairs.delete(pair);
      });
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `redis://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    dropEverything: () => {
      for (const [near, far] of pairs) {
        near.unpipe().resume();
        far.unpipe().resume();
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const [near] of pairs) near.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
