import { useLeakCheck, useNats, useRedis, waitUntil } from '@sluice/devkit';
import { PauseWitness } from '@sluice/devkit/pauses';
import type { PastGeneration, SimulatorState } from '@sluice/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BusWitness } from './bus-witness.ts';
import { CompletionClient } from './completion-client.ts';
import { Fleet, startRuntime, type RuntimeProcess } from './fleet.ts';
import { SeededRandom } from './seeded-random.ts';

useLeakCheck({ timeoutMs: 10_000 });
const nats = useNats({ own: true });
const redis = useRedis({ own: true });

const CLIENTS = 50;
/** Fewer slots than clients, so that some clients wait. */
const SLOTS = 15;
const SEED = 1;
const LEAVING_WITHIN_MS = 2_500;
/** Far more tokens than any client waits for. Each client has a different number, which identifies its generation. */
const TOKENS = 5_000;

const stack = new AsyncDisposableStack();
let runtimes: readonly RuntimeProcess[];
let fleet: Fleet;
let witness: BusWitness;
beforeAll(async () => {
  runtimes = await Promise.all([1, 2].map(async () => startRuntime()));
  for (const { process } of runtimes) stack.use(process);
  fleet = stack.use(
    await Fleet.start({
      natsUrl: nats.url,
      redisUrl: redis.url,
      runtimes: runtimes.map(({ url }) => url),
      workerSettings: { SLOTS: String(SLOTS) },
    }),
  );
  await fleet.offersTo(2);
  witness = stack.use(await BusWitness.connect(nats.url));
});
afterAll(async () => {
  await stack.disposeAsync();
});

async function ask<Answer>(path: string): Promise<Answer[]> {
  return Promise.all(
    runtimes.map(async ({ url }) => (await (await fetch(`${url}${path}`)).json()) as Answer),
  );
}

test('fifty clients that disconnect at random moments leave no state behind', async () => {
  await using pauseWitness = await PauseWitness.start();
  const random = new SeededRandom(SEED);
  const { key, organization } = await fleet.tenant();
  const subscriptions = await subscriptionCounts();
  witness.takeAccepted();
  const [gateway] = fleet.gateways;
  const clients = Array.from(
    { length: CLIENTS },
    (_, index) =>
      new CompletionClient({
        url: gateway?.url ?? '',
        key,
        name: `client ${index}`,
        steering: {
          tokens: TOKENS + index,
          reasoning: 0,
          ttft_ms: random.below(1_500),
          itl_ms: 5,
        },
        stream: random.below(5) > 0,
      }),
  );
  await waitUntil(async () => (await gateway?.health())?.holdings['attempts'] === CLIENTS, {
    what: 'every job to be at a worker',
    timeoutMs: 30_000,
  });
  const leftAt = new Map<number, number>();
  const departures = clients.map(async (client, index) => {
    const timer = setTimeout(() => {
      leftAt.set(TOKENS + index, performance.now());
      client.leave();
    }, random.below(LEAVING_WITHIN_MS));
    await client.ended;
    clearTimeout(timer);
  });
  await Promise.all(departures);
  expect(leftAt.size).toBe(CLIENTS);

  await waitUntil(
    async () =>
      (await ask<SimulatorState>('/sim/state')).every(
        ({ running, waiting }) => running + waiting === 0,
      ),
    { what: 'the runtimes to be idle', timeoutMs: 30_000 },
  );
  const past = (await ask<{ data: PastGeneration[] }>('/sim/generations'))
    .flatMap(({ data }) => data)
    .filter(({ tokens }) => leftAt.has(tokens));
  expect(past.length).toBeGreaterThan(2 * SLOTS - 1);
  const pauses = pauseWitness.look();
  const tooLate = past.filter(({ tokens, ended, ended_at_ms: endedAtMs }) => {
    const from = leftAt.get(tokens) ?? 0;
    const to = endedAtMs - performance.timeOrigin;
    return ended !== 'aborted' || to - from - pauses.pausedMs(from, to) > 1_000;
  });
  expect(tooLate).toEqual([]);

  await fleet.holdsNothing();
  expect(await subscriptionCounts()).toEqual(subscriptions);
  const { requests, attempts } = await witness.stored(organization);
  expect(requests.map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: CLIENTS }, () => 'cancelled'),
  );
  expect(new Set(requests.map(({ id }) => id)).size).toBe(CLIENTS);
  const attemptIds = new Set(attempts.map(({ id }) => id));
  expect(attempts).toHaveLength(attemptIds.size);
  // An attempt that is cancelled while it is accepted has a record, although its acceptance was never sent.
  expect([...witness.takeAccepted()].filter((id) => !attemptIds.has(id))).toEqual([]);
});

async function subscriptionCounts(): Promise<number[]> {
  const all = await Promise.all(fleet.members.map(async (member) => member.health()));
  return all.map(({ subscriptions }) => subscriptions);
}
