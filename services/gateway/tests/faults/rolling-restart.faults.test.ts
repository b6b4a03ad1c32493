import { useLeakCheck, useNats, useRedis, waitUntil } from '@sluice/devkit';
import { expect, test } from 'vitest';
import { Balancer } from './balancer.ts';
import { BusWitness } from './bus-witness.ts';
import { CompletionClient } from './completion-client.ts';
import { Fleet, startRuntime } from './fleet.ts';
import { auditLedger } from './ledger-audit.ts';
import { SteadyLoad } from './steady-load.ts';

useLeakCheck({ timeoutMs: 10_000 });
const nats = useNats({ own: true });
const redis = useRedis({ own: true });

const STREAMS = 100;
/** An answer takes one to two seconds, so that each restart happens at every stage of many answers. */
const steeringOf = (number: number) => ({
  tokens: 10 + ((number * 7) % 17),
  reasoning: 5,
  ttft_ms: 100,
  itl_ms: 75,
});

/** Waits until as many new answers have arrived as there are streams. */
async function awaitNewAnswers({ answered }: SteadyLoad): Promise<void> {
  const from = answered.length;
  await waitUntil(() => answered.length >= from + STREAMS, {
    what: 'a new answer for each stream',
    timeoutMs: 60_000,
  });
}

test('restarting every worker and every gateway, one after another, fails no request', async () => {
  await using stack = new AsyncDisposableStack();
  const runtimes = await Promise.all(
    [1, 2].map(async () => startRuntime({ SIMULATOR_SLOTS: '256' })),
  );
  for (const { process } of runtimes) stack.use(process);
  const fleet = stack.use(
    await Fleet.start({
      natsUrl: nats.url,
      redisUrl: redis.url,
      gateways: 2,
      runtimes: runtimes.map(({ url }) => url),
      workerSettings: { SLOTS: '128' },
      gatewaySettings: { DRAIN_ANNOUNCE_MS: '2000' },
    }),
  );
  await fleet.offersTo(2);
  const witness = stack.use(await BusWitness.connect(nats.url));
  const { key, organization } = await fleet.tenant();
  const balancer = stack.use(new Balancer(fleet.gateways));
  const ask = (number: number) =>
    new CompletionClient({
      ...balancer.next(),
      key,
      name: `request ${number}`,
      steering: steeringOf(number),
      stream: number % 10 !== 0,
    });
  const load = stack.use(new SteadyLoad(STREAMS, ask));
  await awaitNewAnswers(load);
  for (const { process } of [...fleet.workers, ...fleet.gateways]) {
    await process.end('SIGTERM');
    expect(process.exitCode).toBe(0);
    await process.start();
    await waitUntil(() => balancer.knowsAll, {
      what: 'the balancer to know all',
      timeoutMs: 60_000,
    });
    await awaitNewAnswers(load);
  }
  await load.stop();
  expect(load.failed).toEqual([]);
  expect(load.answered.length).toBeGreaterThan(5 * STREAMS);
  await fleet.holdsNothing();
  const { requests } = await auditLedger(witness, {
    organization,
    replies: load.answered.map(({ reply }) => reply),
    accepted: witness.takeAccepted(),
    gatewaySurvived: true,
  });
  expect(new Set(requests.map(({ gateway }) => gateway)).size).toBe(4);
});
