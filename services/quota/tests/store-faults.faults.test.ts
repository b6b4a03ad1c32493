import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { PauseWitness } from '@sluice/devkit/pauses';
import { connectQuota, type QuotaClient } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChargeAudit, UNNOTICED_REQUESTS, type AuditReport } from './support/charge-audit.ts';
import { FAULT_STORES, type FaultStore } from './support/fault-stores.ts';
import { startQuotaProcess, type QuotaProcess } from './support/quota-process.ts';
import { redisProgramMissing } from './support/redis-processes.ts';

useLeakCheck();
const logger = createLogger({ service: 'test', level: 'silent' });
const KEY_PREFIX = 'faults:';

let store: FaultStore;
let quota: QuotaProcess;
let client: QuotaClient;
let audit: ChargeAudit;
let audits = 0;
let witness: PauseWitness;

beforeAll(async () => {
  witness = await PauseWitness.start();
});
afterAll(() => witness[Symbol.asyncDispose]());

beforeEach(async () => {
  audits += 1;
  audit = new ChargeAudit(client, witness, { name: `audit-${audits}` });
  audit.start();
  await waitUntil(() => audit.countOf('admitted') > 200, { what: 'a steady load' });
});
afterEach(async () => {
  await audit.stop();
});

/** How long after the given time the service admits again. */
async function recovery(): Promise<number> {
  const since = performance.now();
  const admittedAt = await waitUntil(() => audit.admittedSince(since), { what: 'an admission' });
  return admittedAt - since;
}

/** Ends the load some time after the fault is over, and expects that requests are decided again. */
async function closeAudit(): Promise<AuditReport> {
  const since = performance.now();
  const admitted = audit.countOf('admitted');
  await waitUntil(() => audit.countOf('admitted') > admitted + 200, { what: 'a steady load' });
  await audit.stop();
  expect(audit.undecidedAfter(since).length).toBeLessThan(UNNOTICED_REQUESTS);
  const redis = store.connect();
  try {
    return await audit.report(redis, KEY_PREFIX);
  } finally {
    redis.disconnect();
  }
}

const missing = redisProgramMissing();
describe.skipIf(cannotRun('faults of Redis', missing)).each(FAULT_STORES)(
  'while %s fails, every request is answered within 200 ms and charged at most once',
  (_, startStore) => {
    beforeAll(async () => {
      store = await startStore();
      quota = await startQuotaProcess({ ...store.settings, REDIS_KEY_PREFIX: KEY_PREFIX });
      client = connectQuota({ addresses: [quota.address], logger });
      await client.ready();
    });
    afterAll(async () => {
      await client[Symbol.asyncDispose]();
      await quota[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    });

    it('killed and restarted', async () => {
      await store.kill();
      const unavailable = audit.countOf('unavailable');
      await waitUntil(() => audit.countOf('unavailable') > unavailable + 300, {
        what: 'an outage',
      });
      await store.restart();
      expect(await recovery()).toBeLessThan(1_000);
      // A crash may lose charges that were not written to disk yet.
      const report = await closeAudit();
      expect(report).toMatchObject({ chargedTwice: 0 });
      expect(report.unavailable).toBeGreaterThan(0);
      expect(report.slowestMs).toBeLessThan(200);
    });

    it('frozen by SIGSTOP', async () => {
      store.pause();
      await waitUntil(() => audit.countOf('unavailable') > 500, { what: 'an outage' });
      store.resume();
      expect(await recovery()).toBeLessThan(1_000);
      const report = await closeAudit();
      expect(report).toMatchObject({ chargedTwice: 0, admittedUncharged: 0 });
      expect(report.unavailable).toBeGreaterThan(0);
      expect(report.slowestMs).toBeLessThan(200);
    });

    it('paused by CLIENT PAUSE', async () => {
      const pausedAt = performance.now();
      await store.command('client', 'pause', '1500', 'all');
      await waitUntil(() => audit.countOf('unavailable') > 200, { what: 'an outage' });
      const admittedAt = await waitUntil(() => audit.admittedSince(pausedAt + 200), {
        what: 'an admission after the pause',
      });
      expect(admittedAt - pausedAt).toBeGreaterThan(1_000);
      expect(admittedAt - pausedAt).toBeLessThan(1_500 + 1_000);
      const report = await closeAudit();
      expect(report).toMatchObject({ chargedTwice: 0, admittedUncharged: 0 });
      expect(report.unavailable).toBeGreaterThan(0);
      expect(report.slowestMs).toBeLessThan(200);
    });

    it('made to forget its scripts, without an effect on requests', async () => {
      const since = performance.now();
      for (let time = 0; time < 20; time += 1) {
        await store.command('script', 'flush');
        const admitted = audit.countOf('admitted');
        await waitUntil(() => audit.countOf('admitted') > admitted + 20, {
          what: 'more admissions',
        });
      }
      const report = await closeAudit();
      expect(report).toMatchObject({ unavailable: 0, chargedTwice: 0, admittedUncharged: 0 });
      expect(audit.undecidedAfter(since).length).toBeLessThan(UNNOTICED_REQUESTS);
      expect(report.slowestMs).toBeLessThan(200);
    });

    it('with its connections closed again and again', async () => {
      for (let time = 0; time < 20; time += 1) {
        await store.command('client', 'kill', 'type', 'normal', 'skipme', 'yes');
        expect(await recovery()).toBeLessThan(1_000);
      }
      const report = await closeAudit();
      expect(report).toMatchObject({ chargedTwice: 0, admittedUncharged: 0 });
      expect(report.slowestMs).toBeLessThan(200);
    });
  },
);
