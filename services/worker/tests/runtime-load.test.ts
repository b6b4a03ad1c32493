import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { startSimulator, type Simulator } from '@sluice/simulator';
import { describe, expect, it } from 'vitest';
import { readWorkerSettings } from '../src/config.ts';
import { start, type RunningWorker } from '../src/start.ts';
import { GatewayDouble, silentLogger } from './gateway-double.ts';

useLeakCheck();
const nats = useNats();
const MODEL = 'sluice-small';
const LONG = { tokens: 5_000, itl_ms: 100 };

function startWorker(url: string, settings: Record<string, string> = {}): Promise<RunningWorker> {
  const environment = { NATS_URL: nats.url, SUBJECT_PREFIX: nats.namespace, RUNTIME_URL: url };
  return start(readWorkerSettings({ ...environment, SLOTS: '6', ...settings }), silentLogger);
}

/**
 * Kept here, because undici may cancel a response to which nothing refers:
 * https://github.com/nodejs/undici#garbage-collection
 */
const held: Response[] = [];

/** A generation of another client, directly at the runtime. Aborting the signal ends it. */
async function generateBeside({ url }: Simulator, signal: AbortSignal): Promise<void> {
  const content = `Hello\n@sim ${JSON.stringify(LONG)}`;
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, stream: true, messages: [{ role: 'user', content }] }),
    signal,
  });
  expect(reply.status).toBe(200);
  held.push(reply);
}

describe('the load that a runtime reports', () => {
  it.each([
    ['is shown, and does not change the slots', {}, 6],
    ['reduces the slots of a shared runtime', { RUNTIME_SHARED: 'true' }, 3],
  ])('%s', async (_, settings, slots) => {
    await using simulator = await startSimulator();
    await using gateway = await GatewayDouble.connect(nats.url, nats.namespace);
    await using worker = await startWorker(simulator.url, settings);
    await gateway.workerServing(MODEL);
    const newest = () => gateway.newest(worker.id);
    const leaving = new AbortController();
    const others = [1, 2, 3].map(() => generateBeside(simulator, leaving.signal));
    await Promise.all(others);
    const own = [1, 2].map(() => gateway.send(worker.id, { sim: LONG }));
    await Promise.all(own.map((attempt) => attempt.until('started')));
    const shown = await waitUntil(
      () => newest()?.runtime_load?.running === 5 && newest()?.load.slots === slots && newest(),
      { what: 'five generations, and the slots', timeoutMs: 20_000 },
    );
    expect(shown).toMatchObject({
      load: { running: 2, slots },
      runtime_load: { running: 5, waiting: 0 },
    });
    expect(shown.runtime_load?.cache_use).toBeGreaterThanOrEqual(0);

    // The generations of the other clients end, and the slots return.
    leaving.abort();
    await waitUntil(() => newest()?.runtime_load?.running === 2 && newest()?.load.slots === 6, {
      what: 'the slots to come back',
      timeoutMs: 20_000,
    });
    await Promise.all(own.map(({ name }) => gateway.cancel(worker.id, name)));
  });

  it('always leaves one slot', async () => {
    await using simulator = await startSimulator();
    await using gateway = await GatewayDouble.connect(nats.url, nats.namespace);
    await using worker = await startWorker(simulator.url, { SLOTS: '2', RUNTIME_SHARED: 'true' });
    await gateway.workerServing(MODEL);
    const leaving = new AbortController();
    const others = Array.from({ length: 8 }, () => generateBeside(simulator, leaving.signal));
    await Promise.all(others);
    const heartbeat = await waitUntil(
      () => gateway.heartbeats.findLast(({ load }) => load.slots < 2),
      {
        what: 'fewer slots',
        timeoutMs: 20_000,
      },
    );
    expect(heartbeat).toMatchObject({ worker: worker.id, load: { slots: 1 } });
    leaving.abort();
  });

  it('is not asked for again if the runtime has no metrics page', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.statusCode = request.url === '/v1/models' ? 200 : 404;
      response.setHeader('content-type', 'application/json');
      response.end('{"data":[{"id":"m","owned_by":"vllm"}]}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using gateway = await GatewayDouble.connect(nats.url, nats.namespace);
    {
      await using worker = await startWorker(url);
      await waitUntil(() => asked.filter((path) => path === '/v1/models').length >= 3, {
        what: 'three looks',
        timeoutMs: 20_000,
      });
      expect(worker.readiness()).toMatchObject({ ready: true, details: { runtime: 'vllm' } });
      expect(gateway.newest(worker.id)).toMatchObject({ models: ['m'], runtime_load: null });
      expect(asked.filter((path) => path === '/metrics')).toHaveLength(1);
    }
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
});
