import { useLeakCheck, useNats, useRedis, waitUntil } from '@sluice/devkit';
import type { PastGeneration } from '@sluice/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BusWitness } from './bus-witness.ts';
import { CompletionClient } from './completion-client.ts';
import { Fleet, startRuntime, type RuntimeProcess, type Tenant } from './fleet.ts';

useLeakCheck({ timeoutMs: 10_000 });
const nats = useNats({ own: true });
const redis = useRedis({ own: true });

const SLOTS = 4;
const MANY = 500;
/** How many jobs are sent at once. A busy machine takes a while to accept them. */
const AT_ONCE = 50;

const stack = new AsyncDisposableStack();
let runtime: RuntimeProcess;
let fleet: Fleet;
let witness: BusWitness;
beforeAll(async () => {
  runtime = await startRuntime({ SIMULATOR_TTFT_MS: '20' });
  stack.use(runtime.process);
  fleet = stack.use(
    await Fleet.start({
      natsUrl: nats.url,
      redisUrl: redis.url,
      runtimes: [runtime.url],
      workerSettings: { SLOTS: String(SLOTS), QUEUE_LIMIT: String(MANY + 100) },
      gatewaySettings: { QUEUE_TIMEOUT_MS: '120000' },
    }),
  );
  witness = stack.use(await BusWitness.connect(nats.url));
});
afterAll(async () => {
  await stack.disposeAsync();
});

function complete({ key }: Tenant, name: string, tokens: number): CompletionClient {
  const url = fleet.gateways[0]?.url ?? '';
  const steering = { tokens, reasoning: 0, itl_ms: 50 };
  return new CompletionClient({ url, key, name, steering, stream: false });
}

const isWaiting = ({ isOver }: CompletionClient) => !isOver;

test('one job is served within a slot time although five hundred of another organization wait', async () => {
  const [crowd, loner] = [await fleet.tenant(), await fleet.tenant()];
  const [worker] = fleet.workers;
  const queued = async () => (await worker?.health())?.load?.queued ?? 0;
  const many: CompletionClient[] = [];
  while (many.length < MANY) {
    for (let index = 0; index < AT_ONCE; index += 1) {
      many.push(complete(crowd, `job ${many.length}`, 40));
    }
    await waitUntil(async () => (await queued()) >= many.filter(isWaiting).length - SLOTS, {
      what: 'them to wait in the queue',
      timeoutMs: 30_000,
    });
  }
  const sentAtMs = Date.now();
  const reply = await complete(loner, 'the only one', 41).ended;
  expect(reply.ending).toBe('whole');
  const answer = await fetch(`${runtime.url}/sim/generations`);
  const { data } = (await answer.json()) as { data: PastGeneration[] };
  const own = data.findIndex(({ tokens }) => tokens === 41);
  const before = data.slice(0, own).filter(({ ended_at_ms: at }) => at >= sentAtMs);
  // The jobs that had a slot when this job arrived, and the jobs that got one at the same time.
  expect(before.length).toBeLessThanOrEqual(3 * SLOTS);
  expect(await queued()).toBeGreaterThan(MANY / 2);

  for (const client of many) client.leave();
  await Promise.all(many.map(async ({ ended }) => ended));
  await fleet.holdsNothing();
  const { requests, attempts } = await witness.stored(crowd.organization);
  expect(new Set(requests.map(({ id }) => id)).size).toBe(MANY);
  expect([requests.length, attempts.length]).toEqual([MANY, MANY]);
  expect(new Set(requests.map(({ outcome }) => outcome))).toEqual(
    new Set(['completed', 'cancelled']),
  );
});
