import { MetricsPage, useLeakCheck, useNats, useRedis, waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CompletionClient } from './faults/completion-client.ts';
import { Fleet, startMember, startRuntime, type FleetMember } from './faults/fleet.ts';

useLeakCheck({ timeoutMs: 10_000 });
const nats = useNats({ own: true });
const redis = useRedis({ own: true });

const WAKE_SECONDS = 60;
const QUICK = { tokens: 3, reasoning: 0, itl_ms: 5 };
/** Four seconds: long enough for the worker to be stopped in the middle. */
const LONG = { tokens: 400, reasoning: 0, itl_ms: 10 };
const STREAMS = 6;

const stack = new AsyncDisposableStack();
let fleet: Fleet;
let runtimeUrl: string;
let pages: readonly MetricsPage[];
beforeAll(async () => {
  const runtime = await startRuntime();
  stack.use(runtime.process);
  runtimeUrl = runtime.url;
  pages = await Promise.all([MetricsPage.onFreePort(), MetricsPage.onFreePort()]);
  fleet = stack.use(
    await Fleet.start({
      natsUrl: nats.url,
      redisUrl: redis.url,
      runtimes: [],
      gateways: 2,
      settingsOfGateway: pages.map(({ settings }) => settings),
      model: { wake_timeout: WAKE_SECONDS },
    }),
  );
});
afterAll(async () => {
  await stack.disposeAsync();
});

/** The values of a metric for the pool, of every gateway that knows the pool. */
async function valuesOf(metric: string): Promise<number[]> {
  const texts = await Promise.all(pages.map(async (page) => page.read()));
  const pattern = new RegExp(`^sluice_pool_${metric}\\{.*pool="default".*\\} (\\S+)$`, 'm');
  return texts.flatMap((text) => {
    const value = pattern.exec(text)?.[1];
    return value === undefined ? [] : [Number(value)];
  });
}

const sum = async (metric: string) => (await valuesOf(metric)).reduce((all, one) => all + one, 0);
const max = async (metric: string) => Math.max(0, ...(await valuesOf(metric)));

/** The result of an autoscaler's query. */
async function demand(): Promise<number> {
  const [waiting, running, queued, unserved] = await Promise.all([
    sum('waiting'),
    max('running'),
    max('queued'),
    sum('unserved'),
  ]);
  return waiting + running + queued + Math.min(1, unserved);
}

async function startWorker(): Promise<FleetMember> {
  const settings = { NATS_URL: nats.url, RUNTIME_URL: runtimeUrl, SLOTS: '8' };
  const worker = await startMember('worker', 'worker', settings);
  stack.use(worker.process);
  return worker;
}

function ask(key: string, name: string, { gateway = 0, steering = QUICK, stream = true } = {}) {
  const url = fleet.gateways[gateway]?.url ?? '';
  return new CompletionClient({ url, key, name, steering, stream });
}

test('a waiting client that disconnects no longer counts as demand', async () => {
  const { key } = await fleet.tenant();
  const client = ask(key, 'leaving');
  await waitUntil(async () => (await demand()) === 1, { what: 'the demand for its request' });
  client.leave();
  expect(await client.ended).toMatchObject({ ending: 'broken' });
  await waitUntil(async () => (await demand()) === 0, { what: 'the demand to be gone' });
  await fleet.holdsNothing();
});

test('requests without a worker wait until an autoscaler starts one, and stopping a worker breaks no stream', async () => {
  const { key } = await fleet.tenant();
  expect(await demand()).toBe(0);
  const first = [ask(key, 'first'), ask(key, 'second', { gateway: 1, stream: false })];
  await waitUntil(async () => (await demand()) === 2, { what: 'the demand for two requests' });
  expect([await max('slots'), first.map(({ requestId }) => requestId)]).toEqual([
    0,
    [undefined, undefined],
  ]);
  const worker = await startWorker();
  for (const client of first) expect(await client.ended).toMatchObject({ ending: 'whole' });
  await waitUntil(async () => (await demand()) === 0, { what: 'the demand to be met' });
  expect(await valuesOf('slots')).toEqual([8, 8]);

  const streams = Array.from({ length: STREAMS }, (_, index) =>
    ask(key, `stream ${index}`, { gateway: index % 2, steering: LONG }),
  );
  await waitUntil(() => streams.every(({ pieces }) => pieces > 0), { what: 'every stream to run' });
  // Heartbeats carry the load once a second.
  await waitUntil(async () => (await demand()) === STREAMS, {
    what: 'the demand to count each stream once, although two gateways report it',
  });
  expect(streams.map(({ isOver }) => isOver)).not.toContain(true);
  await worker.process.end('SIGTERM');
  for (const stream of streams) expect(await stream.ended).toMatchObject({ ending: 'whole' });
  expect(worker.process.exitCode).toBe(0);
  await waitUntil(async () => (await max('slots')) === 0, { what: 'the worker to be gone' });
  expect(await demand()).toBe(0);

  const next = ask(key, 'after zero', { gateway: 1 });
  await waitUntil(async () => (await demand()) === 1, { what: 'the demand after zero' });
  await startWorker();
  expect(await next.ended).toMatchObject({ ending: 'whole' });
});
