import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { PauseWitness } from '@sluice/devkit/pauses';
import { connectQuota, type QuotaClient } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChargeAudit } from './support/charge-audit.ts';
import { startQuotaProcess, type QuotaProcess } from './support/quota-process.ts';
import { redisProgramMissing } from './support/redis-processes.ts';
import { REPLICATED_STORES, type ReplicatedStore } from './support/replicated-stores.ts';

useLeakCheck();
const logger = createLogger({ service: 'test', level: 'silent' });
const KEY_PREFIX = 'refusals:';
/** Requests a second, evenly spread. */
const RATE = 100;
const REPLICAS = 2;
/** Two gateways that send requests in turn. */
const CLIENTS = 2;
/** How long quota may take to notice that a failover is over. */
const NOTICE_MS = 500;
const FEWEST = 5;

let witness: PauseWitness;
beforeAll(async () => {
  witness = await PauseWitness.start();
});
afterAll(() => witness[Symbol.asyncDispose]());

interface Scene extends AsyncDisposable {
  readonly store: ReplicatedStore;
  readonly quotas: readonly QuotaProcess[];
  readonly audit: ChargeAudit;
}

/** Starts a store, two replicas of quota, and clients with a steady load. */
async function startSteadyLoad(startStore: () => Promise<ReplicatedStore>): Promise<Scene> {
  await using started = new AsyncDisposableStack();
  const store = started.use(await startStore());
  const settings = { ...store.settings, REDIS_KEY_PREFIX: KEY_PREFIX };
  const quotas: QuotaProcess[] = [];
  while (quotas.length < REPLICAS) quotas.push(started.use(await startQuotaProcess(settings)));
  const addresses = quotas.map(({ address }) => address);
  const clients: QuotaClient[] = [];
  while (clients.length < CLIENTS) clients.push(started.use(connectQuota({ addresses, logger })));
  for (const client of clients) {
    await waitUntil(() => Object.values(client.state().replicas).every((state) => state === 'up'), {
      what: 'every replica to be up',
    });
  }
  const load = { everyMs: 1_000 / RATE, atOnce: 1 };
  const audit = new ChargeAudit(inTurn(clients), witness, { name: 'audit', load });
  started.defer(() => audit.stop());
  audit.start();
  await awaitAdmitted(audit, 100);
  const owned = started.move();
  return { store, quotas, audit, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function inTurn(clients: readonly QuotaClient[]): Pick<QuotaClient, 'admit'> {
  let turn = 0;
  return {
    admit: (request) => {
      turn += 1;
      const client = clients[turn % clients.length];
      if (client === undefined) throw new Error('there is no client');
      return client.admit(request);
    },
  };
}

/** Waits until this many more requests are admitted. */
async function awaitAdmitted(audit: ChargeAudit, requests: number): Promise<void> {
  const admitted = audit.countOf('admitted');
  await waitUntil(() => audit.countOf('admitted') >= admitted + requests, {
    what: 'a steady load',
    timeoutMs: 20_000,
  });
}

/** Ends the load, and compares the answers with the state of the store. */
async function closeAudit({ audit, store }: Scene): Promise<{ admittedUncharged: number }> {
  await audit.stop();
  const redis = store.connect();
  try {
    const report = await audit.report(redis, KEY_PREFIX);
    expect(report.chargedTwice).toBe(0);
    expect(report.slowestMs).toBeLessThan(200);
    return report;
  } finally {
    redis.disconnect();
  }
}

const missing = redisProgramMissing();
describe.skipIf(cannotRun('failovers under a steady load', missing)).each(REPLICATED_STORES)(
  'at 100 requests a second, with %s',
  (_, startStore) => {
    it.each(['kill', 'freeze'] as const)(
      'a lost master (%s) costs the requests of the failover and half a second more',
      async (cause) => {
        await using scene = await startSteadyLoad(startStore);
        const { audit, store } = scene;
        const failedAt = performance.now();
        const failoverMs = await store.failover(cause);
        await awaitAdmitted(audit, RATE);
        await closeAudit(scene);
        const undecided = audit.undecidedAfter(failedAt);
        expect(undecided.length).toBeGreaterThan(0);
        expect(undecided.length).toBeLessThanOrEqual((RATE * (failoverMs + NOTICE_MS)) / 1_000);
        expect(Math.max(...undecided)).toBeLessThan(failoverMs + NOTICE_MS);
      },
    );

    it('a failover on demand affects almost no request, and loses almost no charge', async () => {
      await using scene = await startSteadyLoad(startStore);
      const { audit, store } = scene;
      const failedAt = performance.now();
      await store.failover('demand');
      await awaitAdmitted(audit, RATE);
      const { admittedUncharged } = await closeAudit(scene);
      expect(audit.undecidedAfter(failedAt).length).toBeLessThan(FEWEST);
      expect(admittedUncharged).toBeLessThan(FEWEST);
    });

    it.each(['SIGKILL', 'SIGSTOP'] as const)(
      'a replica of quota that gets %s affects almost no request',
      async (signal) => {
        await using scene = await startSteadyLoad(startStore);
        const { audit, quotas } = scene;
        const failedAt = performance.now();
        quotas[0]?.signal(signal);
        // Enough organizations that this replica decides for some of them.
        await awaitAdmitted(audit, 2 * RATE);
        if (signal === 'SIGSTOP') {
          quotas[0]?.signal('SIGCONT');
          await awaitAdmitted(audit, RATE);
        }
        const { admittedUncharged } = await closeAudit(scene);
        expect(admittedUncharged).toBe(0);
        expect(audit.undecidedAfter(failedAt).length).toBeLessThan(FEWEST);
      },
    );
  },
);
