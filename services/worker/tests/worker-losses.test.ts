import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { startSimulator } from '@sluice/simulator';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startBench, type Bench } from './bench-worker.ts';

useLeakCheck();
const nats = useNats({ own: true });
const SLOTS = 4;
let bench: Bench;

beforeEach(async () => {
  bench = await startBench({
    natsUrl: nats.url,
    prefix: nats.namespace,
    settings: { SLOTS: String(SLOTS) },
  });
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

describe('losing the bus', () => {
  it('stops every attempt at the runtime, and the worker serves again after the bus reconnects', async () => {
    const attempts = Array.from({ length: 6 }, () =>
      bench.gateway.send(bench.worker.id, { sim: { tokens: 200_000 } }),
    );
    await attempts[0]?.until('delta');
    await nats.kill();
    await bench.untilNothingIsHeld();
    expect(bench.simulator.state()).toMatchObject({ aborted: 4, finished: 0 });
    expect(bench.worker.readiness().ready).toBe(false);

    await nats.restart();
    await waitUntil(() => bench.worker.readiness().ready && bench.gateway.bus.connected, {
      what: 'the bus',
    });
    bench.gateway.heartbeats.length = 0;
    await bench.gateway.workerServing('sluice-small');
    const attempt = await bench.gateway.send(bench.worker.id, { sim: { tokens: 5 } }).untilOver();
    expect(attempt.kinds().at(-1)).toBe('finished');
  });

  it('to a frozen connection stops every attempt too', async () => {
    const attempt = bench.gateway.send(bench.worker.id, { sim: { tokens: 200_000 } });
    await attempt.until('delta');
    await nats.pause();
    try {
      await waitUntil(() => bench.simulator.state().aborted === 1, {
        what: 'the end of the generation',
        timeoutMs: 9_000,
      });
    } finally {
      await nats.resume();
    }
    await waitUntil(() => bench.worker.readiness().ready, { what: 'the bus' });
    await bench.untilNothingIsHeld();
    expect(attempt.kinds()).not.toContain('finished');
  });

  it('fails the attempts at gateways that kept their connection, after the worker reconnects', async () => {
    await using way = await startForwarder(nats.url);
    await using alone = await startBench({
      natsUrl: nats.url,
      prefix: `${nats.namespace}-alone`,
      settings: { NATS_URL: way.url, SLOTS: '1' },
    });
    const attempts = Array.from({ length: 2 }, () =>
      alone.gateway.send(alone.worker.id, { sim: { tokens: 200_000 } }),
    );
    await attempts[0]?.until('delta');
    await attempts[1]?.until('accepted');
    way.cut();
    for (const { frames } of attempts) {
      const hasGap = () => frames.some(({ number }, index) => number !== index);
      await waitUntil(hasGap, { what: 'the gap in its frames' });
    }
    await alone.untilNothingIsHeld();
    expect(alone.simulator.state()).toMatchObject({ aborted: 1, finished: 0 });
  });
});

describe('losing the runtime', () => {
  it('fails its attempts as retryable, withdraws its models, and offers them again when it is up', async () => {
    const attempt = bench.gateway.send(bench.worker.id, { sim: { tokens: 200_000 } });
    await attempt.until('delta');
    const port = Number(new URL(bench.simulator.url).port);
    await bench.simulator[Symbol.asyncDispose]();
    expect((await attempt.untilOver()).body('failed')).toEqual({
      reason: 'upstream_unavailable',
      retryable: true,
    });
    await waitUntil(() => bench.gateway.newest(bench.worker.id)?.models.length === 0, {
      what: 'the withdrawal',
    });
    const refused = await bench.gateway.send(bench.worker.id).untilOver();
    expect(refused.body('refused')).toMatchObject({ reason: 'unknown_model' });
    expect(bench.worker.readiness()).toMatchObject({ ready: false, details: { runtime: 'down' } });

    await using _again = await startSimulator({ port, timeToFirstTokenMs: 5, betweenTokensMs: 1 });
    await waitUntil(() => bench.gateway.newest(bench.worker.id)?.models.includes('sluice-small'), {
      what: 'the models to be back',
      timeoutMs: 2_000,
    });
    const served = await bench.gateway.send(bench.worker.id, { sim: { tokens: 5 } }).untilOver();
    expect(served.kinds().at(-1)).toBe('finished');
  });

  it.each([
    ['returns the queue if it stays down', false],
    ['keeps the queue if it is up again at once', true],
  ])('%s', async (_, isBack) => {
    const send = (tokens: number) => bench.gateway.send(bench.worker.id, { sim: { tokens } });
    const running = Array.from({ length: SLOTS }, () => send(200_000));
    await Promise.all(running.map((attempt) => attempt.until('delta')));
    const queued = [send(5), send(5)];
    await Promise.all(queued.map((attempt) => attempt.until('accepted')));
    const port = Number(new URL(bench.simulator.url).port);
    await bench.simulator[Symbol.asyncDispose]();
    await using _again = isBack ? await startSimulator({ port }) : undefined;
    await Promise.all([...running, ...queued].map((attempt) => attempt.untilOver()));
    expect(running.map((attempt) => attempt.kinds().at(-1))).toEqual(running.map(() => 'failed'));
    for (const attempt of queued) {
      if (isBack) expect(attempt.kinds().at(-1)).toBe('finished');
      else expect(attempt.body('refused')).toMatchObject({ reason: 'runtime_down' });
    }
  });

  it('that keeps its connections and is silent returns the queue, then fails running jobs', async () => {
    await using runtime = await startFreezingRuntime();
    await using frozen = await startBench({
      natsUrl: nats.url,
      prefix: `${nats.namespace}-frozen`,
      settings: { RUNTIME_URL: runtime.url, SLOTS: '1' },
    });
    const [running, queued] = [
      frozen.gateway.send(frozen.worker.id),
      frozen.gateway.send(frozen.worker.id),
    ];
    await queued.until('accepted');
    runtime.freeze();
    await queued.untilOver(10_000);
    expect(queued.body('refused')).toMatchObject({ reason: 'runtime_down' });
    expect(running.kinds()).not.toContain('failed');
    const leasing = setInterval(() => frozen.gateway.lease(), 1_000);
    onTestFinished(() => clearInterval(leasing));
    await running.untilOver(15_000);
    expect(running.body('failed')).toEqual({ reason: 'upstream_unavailable', retryable: true });
    await frozen.untilNothingIsHeld();
  });
});

/** A proxy to NATS that can be cut for its own clients only. */
async function startForwarder(
  target: string,
): Promise<AsyncDisposable & { readonly url: string; cut(): void }> {
  const { hostname, port } = new URL(target);
  const ends = new Set<Socket>();
  const server = createTcpServer((near) => {
    const far = connect(Number(port), hostname);
    for (const end of [near, far]) {
      ends.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        near.destroy();
        far.destroy();
        ends.delete(end);
      });
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const end of ends) end.destroy();
  };
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A runtime that lists its models until it is frozen, and never sends output. */
async function startFreezingRuntime(): Promise<
  AsyncDisposable & { readonly url: string; freeze(): void }
> {
  let isFrozen = false;
  const server = createServer((request, response) => {
    if (isFrozen || request.method === 'POST') return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: [{ id: 'sluice-small', owned_by: 'somebody' }] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    freeze: () => {
      isFrozen = true;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
