import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSimulator, type Simulator } from '@sluice/simulator';
import { useLeakCheck, useNats, waitUntil } from '@sluice/testkit';
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

/** Those that nobody holds may be cancelled by the platform. */
const held: Response[] = [];

/** A generation of somebody else, straight on the runtime; aborting the signal ends it. */
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

describe('what the runtime tells of its load', () => {
  it.each([
    ['is shown, and changes nothing', {}, 6],
    ['takes slots away where others use the runtime too', { RUNTIME_SHARED: 'true' }, 3],
  ])('%s', async (_, settings, slots) => {
    await using simulator = await startSimulator();
    await using gateway = await GatewayDouble.connect(nats.url, nats.namespace);
    await using worker = await startWorker(simulator.url, settings);
    await gateway.workerServing(MODEL);
    const told = () => gateway.newest(worker.id);
    const leaving = new AbortController();
    const others = [1, 2, 3].map(() => generateBeside(simulator, leaving.signal));
    await Promise.all(others);
    const own = [1, 2].map(() => gateway.send(worker.id, { sim: LONG }));
    await Promise.all(own.map((attempt) => attempt.until('started')));
    const shown = await waitUntil(
      () => told()?.runtime_load?.running === 5 && told()?.load.slots === slots && told(),
      { what: 'five generations, and the slots', timeoutMs: 20_000 },
    );
    expect(shown).toMatchObject({
      load: { running: 2, slots },
      runtime_load: { running: 5, waiting: 0 },
    });
    expect(shown.runtime_load?.cache_use).toBeGreaterThanOrEqual(0);

    // Others leave, and their slots come back.
    leaving.abort();
    await waitUntil(() => told()?.runtime_load?.running === 2 && told()?.load.slots === 6, {
      what: 'the slots to come back',
      timeoutMs: 20_000,
    });
    await Promise.all(own.map(({ name }) => gateway.cancel(worker.id, name)));
  });

  it('leaves one slot however much others ask for', async () => {
    await using simulator = await startSimulator();
    await using gateway = await GatewayDouble.connect(nats.url, nats.namespace);
    await using worker = await startWorker(simulator.url, { SLOTS: '2', RUNTIME_SHARED: 'true' });
    await gateway.workerServing(MODEL);
    const leaving = new AbortController();
    const others = Array.from({ length: 8 }, () => generateBeside(simulator, leaving.signal));
    await Promise.all(others);
    const told = await waitUntil(() => gateway.heartbeats.findLast(({ load }) => load.slots < 2), {
      what: 'fewer slots',
      timeoutMs: 20_000,
    });
    expect(told).toMatchObject({ worker: worker.id, load: { slots: 1 } });
    leaving.abort();
  });

  it('is not asked for again of a runtime without a page of metrics', async () => {
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
