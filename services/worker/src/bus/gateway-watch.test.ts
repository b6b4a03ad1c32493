import { BusNoRespondersError, type Bus, type BusMessage } from '@sluice/bus';
import { LEASE_LATE_MS, subjectsUnder } from '@sluice/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobDesk } from '../domain/job-desk.ts';
import { GatewayWatch } from './gateway-watch.ts';
import { Leases } from './leases.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

it.each([
  ['that is gone has its jobs dropped', false, ['gateway_silent']],
  ['that was late and is heard again before the answer keeps its jobs', true, []],
])('a gateway %s', async (_, isHeardAgain, dropped) => {
  let now = 0;
  const answer = Promise.withResolvers<BusMessage>();
  const bus: Partial<Bus> = { connected: true, request: () => answer.promise };
  const reasons: string[] = [];
  const desk: Pick<JobDesk, 'abandonWhere'> = {
    abandonWhere: (reason) => {
      reasons.push(reason);
      return [];
    },
  };
  const leases = new Leases();
  using _watch = new GatewayWatch({
    bus: bus as Bus,
    subjects: subjectsUnder('test'),
    leases,
    desk: desk as JobDesk,
    now: () => now,
  });
  leases.heard('gateway1', now);
  now += LEASE_LATE_MS;
  vi.advanceTimersByTime(250);
  if (isHeardAgain) leases.heard('gateway1', now);
  answer.reject(new BusNoRespondersError('test'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(reasons).toEqual(dropped);
});
