import { BusNoRespondersError, type Bus, type BusMessage } from '@sluice/bus';
import { LEASE_EXPIRY_MS, LEASE_LATE_MS, subjectsUnder } from '@sluice/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobDesk } from '../domain/job-desk.ts';
import { GatewayWatch } from './gateway-watch.ts';
import { Leases } from './leases.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const GONE = new BusNoRespondersError('test');

/** A watch of one gateway, which is late, and the reasons for which jobs were dropped. */
function watchLate(ask: () => Promise<BusMessage>) {
  let now = 0;
  const bus: Partial<Bus> = { connected: true, request: ask };
  const reasons: string[] = [];
  const desk: Pick<JobDesk, 'abandonWhere'> = {
    abandonWhere: (reason) => {
      reasons.push(reason);
      return [];
    },
  };
  const leases = new Leases();
  const hear = () => leases.heard('gateway1', now);
  hear();
  now += LEASE_LATE_MS;
  const watch = new GatewayWatch({
    bus: bus as Bus,
    subjects: subjectsUnder('test'),
    leases,
    desk: desk as JobDesk,
    now: () => now,
  });
  const standStill = (milliseconds: number) => void (now += milliseconds);
  return { hear, standStill, reasons, [Symbol.dispose]: () => watch[Symbol.dispose]() };
}

const look = () => void vi.advanceTimersByTime(250);
const turn = () => new Promise((resolve) => setImmediate(resolve));

it.each([
  ['that is gone has its jobs dropped', false, ['gateway_silent']],
  ['that was late and is heard again before the answer keeps its jobs', true, []],
])('a gateway %s', async (_, isHeardAgain, dropped) => {
  const answer = Promise.withResolvers<BusMessage>();
  using gateway = watchLate(() => answer.promise);
  look();
  if (isHeardAgain) gateway.hear();
  answer.reject(GONE);
  await turn();
  expect(gateway.reasons).toEqual(dropped);
});

it('a gateway that was there when it was asked after is asked after again', async () => {
  let isThere = true;
  using gateway = watchLate(() =>
    isThere ? Promise.resolve({} as BusMessage) : Promise.reject(GONE),
  );
  look();
  await turn();
  expect(gateway.reasons).toEqual([]);
  isThere = false;
  look();
  await turn();
  expect(gateway.reasons).toEqual(['gateway_silent']);
});

it('a gateway is not given up by a worker that stood still, before that has read what it said meanwhile', () => {
  using gateway = watchLate(() => Promise.resolve({} as BusMessage));
  gateway.standStill(LEASE_EXPIRY_MS);
  // Timers come first.
  look();
  expect(gateway.reasons).toEqual([]);
  gateway.hear();
  look();
  expect(gateway.reasons).toEqual([]);
});
