import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_STORES, type FaultStore } from './support/fault-stores.ts';
import type { HammerReport } from './support/hammer-client.ts';
import { startHammer } from './support/hammer-processes.ts';
import { PACKED_AT } from './support/packed-state.ts';
import { startQuotaProcess } from './support/quota-process.ts';
import { redisProgramMissing } from './support/redis-processes.ts';

useLeakCheck();
let store: FaultStore;

const REQUESTS_PER_MINUTE = 600;
const KEY_PREFIX = 'hammer:';

const order = (organization: string, addresses: readonly string[]) => ({
  addresses,
  organization,
  requestsPerMinute: REQUESTS_PER_MINUTE,
  concurrency: 8,
  durationMs: 6_000,
});

async function startReplica() {
  return startQuotaProcess({
    ...store.settings,
    REDIS_KEY_PREFIX: KEY_PREFIX,
    // Every answer counts in this test, also on a busy machine.
    REDIS_DEADLINE_MS: '5000',
  });
}

/** How many requests the limit allows between the first and the last of these times of the store's clock. */
function allowedBetween(moments: readonly number[]): number {
  const elapsed = Math.max(...moments) - Math.min(...moments);
  return REQUESTS_PER_MINUTE + Math.floor(elapsed / (60_000 / REQUESTS_PER_MINUTE));
}

function sum(reports: readonly HammerReport[], field: 'refused' | 'unavailable'): number {
  return reports.reduce((total, report) => total + report[field], 0);
}

async function askStore<Answer>(
  question: (redis: ReturnType<FaultStore['connect']>) => Promise<Answer>,
): Promise<Answer> {
  const redis = store.connect();
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

async function clockOfStore(): Promise<number> {
  const [seconds, micros] = await askStore((redis) => redis.time());
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

async function stateInStore(organization: string): Promise<{ charged: number; lastClock: number }> {
  const state = await askStore((redis) => redis.getBuffer(`${KEY_PREFIX}{${organization}}`));
  return {
    charged: state?.readDoubleLE(PACKED_AT.requestsOfDay) ?? 0,
    lastClock: state?.readDoubleLE(PACKED_AT.lastClock) ?? 0,
  };
}

const missing = redisProgramMissing();
describe.skipIf(cannotRun('the hammer', missing)).each(FAULT_STORES)(
  'eight processes that hammer one organization on %s for six seconds',
  (_, startStore) => {
    beforeAll(async () => {
      store = await startStore();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    it('are admitted exactly as often as the limit allows', async () => {
      await using first = await startReplica();
      await using second = await startReplica();
      await using hammer = await startHammer(8);
      // Each replica gets half of the processes, so that both decide for the organization at once.
      const reports = await hammer.run((index) =>
        order('exact', [index % 2 === 0 ? first.address : second.address]),
      );
      const admittedAt = reports.flatMap((report) => report.admittedAt);
      const { charged } = await stateInStore('exact');
      expect(reports).toHaveLength(8);
      expect(sum(reports, 'refused')).toBeGreaterThan(5_000);
      expect(charged).toBe(allowedBetween(admittedAt));
      // A request may have been charged without an admission only if its answer was late.
      expect(charged - admittedAt.length).toBeGreaterThanOrEqual(0);
      expect(charged - admittedAt.length).toBeLessThanOrEqual(sum(reports, 'unavailable'));
    });

    it('are never admitted more often while clients and a replica crash', async () => {
      await using crashing = await startReplica();
      await using staying = await startReplica();
      await using hammer = await startHammer(8);
      const addresses = [crashing.address, staying.address];
      const startedAt = await clockOfStore();
      const running = hammer.run((index) =>
        order('crash', index % 2 === 0 ? addresses : addresses.slice(index % 4 === 1 ? 0 : 1)),
      );
      await charges('crash', REQUESTS_PER_MINUTE + 10);
      hammer.kill(0);
      hammer.kill(1);
      await charges('crash', REQUESTS_PER_MINUTE + 20);
      crashing.signal('SIGKILL');
      const reports = await running;
      const admittedAt = reports.flatMap((report) => report.admittedAt);
      expect(reports).toHaveLength(6);
      expect(admittedAt.length).toBeGreaterThan(100);
      expect(admittedAt.length).toBeLessThanOrEqual(allowedBetween(admittedAt));
      const { charged, lastClock } = await stateInStore('crash');
      expect(charged).toBeGreaterThanOrEqual(admittedAt.length);
      // Includes the admissions of clients that crashed before they reported them.
      expect(charged).toBeLessThanOrEqual(allowedBetween([startedAt, lastClock]));
    });
  },
);

async function charges(organization: string, atLeast: number): Promise<void> {
  await waitUntil(async () => (await stateInStore(organization)).charged >= atLeast, {
    what: `${atLeast} charges`,
    timeoutMs: 20_000,
  });
}
