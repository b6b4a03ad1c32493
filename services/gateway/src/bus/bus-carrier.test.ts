import { HEARTBEAT_LATE_MS, subjectsUnder } from '@sluice/contracts';
import { afterEach, expect, it, vi } from 'vitest';
import { BusCarrier } from './bus-carrier.ts';

afterEach(() => vi.restoreAllMocks());

it('a fleet is not heard before the server knows that somebody listens, however long the start takes', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += HEARTBEAT_LATE_MS));
  const subscribed = Promise.withResolvers<void>();
  using carrier = new BusCarrier({
    bus: {
      connected: true,
      publish: () => undefined,
      flush: () => subscribed.promise,
      onDisconnect: () => () => undefined,
      onReconnect: () => () => undefined,
    },
    subjects: subjectsUnder('test'),
    gateway: 'gateway1',
    attempts: { follow: () => undefined },
  });
  let heard = false;
  const hearing = carrier.fleetHeard().then(() => (heard = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toBe(false);
  subscribed.resolve();
  await hearing;
});
