import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { expect, it } from 'vitest';
import { readWorkerSettings } from '../src/config.ts';
import { start, type RunningWorker } from '../src/start.ts';
import { GatewayDouble, silentLogger } from './gateway-double.ts';

useLeakCheck();
const nats = useNats();

it('queued jobs for a model are returned when the runtime unloads it, and other jobs stay queued', async () => {
  await using runtime = await startChangingRuntime({ models: ['kept', 'unloaded'], slots: 1 });
  await using gateway = await GatewayDouble.connect(nats.url, nats.namespace);
  await using worker = await startWorker(runtime.url);
  await gateway.workerServing('unloaded');
  const send = (model: string) => gateway.send(worker.id, { header: { runtime_model: model } });
  const running = send('unloaded');
  await running.until('accepted');
  const [lost, waiting] = [send('unloaded'), send('kept')];
  await Promise.all([lost.until('accepted'), waiting.until('accepted')]);
  // Slots become free at the same moment, so the jobs must be returned before queued jobs start.
  Object.assign(runtime.shown, { models: ['kept'], slots: 3 });
  await lost.untilOver();
  expect(lost.body('refused')).toMatchObject({ reason: 'unknown_model' });
  await waitUntil(() => gateway.newest(worker.id)?.load.running === 2, {
    what: 'the other to get a slot',
  });
  expect(gateway.newest(worker.id)).toMatchObject({ models: ['kept'], load: { queued: 0 } });
  expect([running.kinds(), waiting.kinds()]).toEqual([['accepted'], ['accepted']]);
});

it('queued jobs get the additional slots of a restarted runtime, and fewer slots stop no job', async () => {
  await using runtime = await startChangingRuntime({ models: ['m'], slots: 1 });
  await using gateway = await GatewayDouble.connect(nats.url, nats.namespace);
  await using worker = await startWorker(runtime.url);
  await gateway.workerServing('m');
  const attempts = Array.from({ length: 3 }, () =>
    gateway.send(worker.id, { header: { runtime_model: 'm' } }),
  );
  await Promise.all(attempts.map((attempt) => attempt.until('accepted')));
  for (const [slots, running] of [
    [2, 2],
    [1, 2],
    [4, 3],
  ]) {
    Object.assign(runtime.shown, { slots });
    await waitUntil(() => gateway.newest(worker.id)?.load.slots === slots, {
      what: `${slots} slots`,
    });
    expect(gateway.newest(worker.id)?.load).toMatchObject({ running });
  }
  // The worker has no connections for more than these.
  Object.assign(runtime.shown, { slots: 1_000 });
  await waitUntil(() => gateway.newest(worker.id)?.load.slots === 64, { what: '64 slots' });
});

function startWorker(url: string): Promise<RunningWorker> {
  const environment = { NATS_URL: nats.url, SUBJECT_PREFIX: nats.namespace, RUNTIME_URL: url };
  return start(readWorkerSettings({ ...environment, DRAIN_TIMEOUT_MS: '1' }), silentLogger);
}

interface Shown {
  models: readonly string[];
  slots: number;
}

/** A fake llama.cpp server whose pages the test changes between two probes. It never sends output. */
async function startChangingRuntime(
  shown: Shown,
): Promise<AsyncDisposable & { readonly url: string; readonly shown: Shown }> {
  let seen = { ...shown };
  const server = createServer((request, response) => {
    if (request.method === 'POST') return;
    // A probe begins with this page.
    if (request.url === '/v1/models') seen = { ...shown };
    const pages: Record<string, object> = {
      '/v1/models': { data: seen.models.map((id) => ({ id, owned_by: 'llamacpp' })) },
      '/props': { total_slots: seen.slots },
    };
    const page = pages[request.url ?? ''];
    response.statusCode = page === undefined ? 404 : 200;
    response.end(JSON.stringify(page ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
