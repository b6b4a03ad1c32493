import { BusNoRespondersError, type Bus, type BusMessage } from '@sluice/bus';
import { LEASE_EXPIRY_MS, LEASE_LATE_MS, subjectsUnder } from '@sluice/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GatewayLiveness, Leases } from './gateway-liveness.ts';
import type { JobIntake } from './job-intake.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const NO_RESPONDERS = new BusNoRespondersError('test');

/** The liveness check of one gateway whose lease is late, and the reasons for which jobs were dropped. */
function checkLateGateway(ask: () => Promise<BusMessage>) {
  let now = 0;
  const bus: Partial<Bus> = { connected: true, request: ask };
  const reasons: string[] = [];
  const intake: Pick<JobIntake, 'abandonWhere'> = {
    abandonWhere: (reason) => {
      reasons.push(reason);
      return [];
    },
  };
  const leases = new Leases();
  const renew = () => leases.renew('gateway1', now);
  renew();
  now += LEASE_LATE_MS;
  const liveness = new GatewayLiveness({
    bus: bus as Bus,
    subjects: subjectsUnder('test'),
    leases,
    intake: intake as JobIntake,
    clock: () => now,
  });
  const pauseWorker = (milliseconds: number) => void (now += milliseconds);
  return { renew, pauseWorker, reasons, [Symbol.dispose]: () => liveness[Symbol.dispose]() };
}

const check = () => void vi.advanceTimersByTime(250);
const turn = () => new Promise((resolve) => setImmediate(resolve));

it.each([
  ['that does not answer loses its jobs', false, ['gateway_silent']],
  ['that renews its lease during the inquiry keeps its jobs', true, []],
])('a gateway with a late lease %s', async (_, renewsLease, dropped) => {
  const answer = Promise.withResolvers<BusMessage>();
  using gateway = checkLateGateway(() => answer.promise);
  check();
  if (renewsLease) gateway.renew();
  answer.reject(NO_RESPONDERS);
  await turn();
  expect(gateway.reasons).toEqual(dropped);
});

it('a gateway that answered an inquiry gets another one while its lease stays late', async () => {
  let isConnected = true;
  using gateway = checkLateGateway(() =>
    isConnected ? Promise.resolve({} as BusMessage) : Promise.reject(NO_RESPONDERS),
  );
  check();
  await turn();
  expect(gateway.reasons).toEqual([]);
  isConnected = false;
  check();
  await turn();
  expect(gateway.reasons).toEqual(['gateway_silent']);
});

it('a worker that was paused reads waiting leases before it drops a gateway', () => {
  using gateway = checkLateGateway(() => Promise.resolve({} as BusMessage));
  gateway.pauseWorker(LEASE_EXPIRY_MS);
  // After a pause, the timer of the check fires before messages are read.
  check();
  expect(gateway.reasons).toEqual([]);
  gateway.renew();
  check();
  expect(gateway.reasons).toEqual([]);
});
