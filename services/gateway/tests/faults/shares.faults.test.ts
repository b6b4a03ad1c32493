import { useLeakCheck, useNats, useRedis, waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BusWitness } from './bus-witness.ts';
import { CompletionClient } from './completion-client.ts';
import { Fleet, startRuntime, type Tenant } from './fleet.ts';
import { auditLedger } from './ledger-audit.ts';
import { SteadyLoad } from './steady-load.ts';

useLeakCheck({ timeoutMs: 10_000 });
const nats = useNats({ own: true });
const redis = useRedis({ own: true });

const SLOTS = 4;
const LONG_RUN_TOKENS = 8_000;

const stack = new AsyncDisposableStack();
let fleet: Fleet;
let witness: BusWitness;
beforeAll(async () => {
  const runtime = await startRuntime({ SIMULATOR_TTFT_MS: '20' });
  stack.use(runtime.process);
  fleet = stack.use(
    await Fleet.start({
      natsUrl: nats.url,
      redisUrl: redis.url,
      runtimes: [runtime.url],
      workerSettings: { SLOTS: String(SLOTS) },
    }),
  );
  witness = stack.use(await BusWitness.connect(nats.url));
});
afterAll(async () => {
  await stack.disposeAsync();
});

function complete({ key }: Tenant, name: string, tokens: number): CompletionClient {
  const url = fleet.gateways[0]?.url ?? '';
  const steering = { tokens, reasoning: 0, itl_ms: 5 };
  return new CompletionClient({ url, key, name, steering, stream: false });
}

test('over a long run organizations get equal shares of the tokens, however unequal their jobs', async () => {
  const tenants = [await fleet.tenant(), await fleet.tenant(), await fleet.tenant()];
  // Each organization keeps several times as many jobs as there are slots, so that it always has jobs waiting.
  const loads = tenants.map((tenant, index) => {
    const tokens = [15, 60, 180][index] ?? 0;
    return new SteadyLoad(3 * SLOTS, (number) => complete(tenant, `job ${number}`, tokens));
  });
  const served = await waitUntil(
    () => {
      const shares = loads.map(servedTokens);
      return Math.min(...shares) > LONG_RUN_TOKENS ? shares : undefined;
    },
    { what: 'a long run', timeoutMs: 120_000 },
  );
  await Promise.all(loads.map(async (load) => load.stop()));
  expect(loads.flatMap(({ failed }) => failed)).toEqual([]);
  expect(Math.max(...served) / Math.min(...served)).toBeLessThan(1.1);
  await fleet.holdsNothing();
  const accepted = witness.takeAccepted();
  for (const [index, { organization }] of tenants.entries()) {
    const { attempts } = await auditLedger(witness, {
      organization,
      replies: loads[index]?.answered.map(({ reply }) => reply) ?? [],
      accepted: new Set(),
      gatewaySurvived: true,
    });
    for (const { id } of attempts) expect(accepted).toContain(id);
  }
});

function servedTokens({ answered }: SteadyLoad): number {
  return answered.reduce(
    (sum, { client }) => sum + client.expected.promptTokens + client.expected.completionTokens,
    0,
  );
}
