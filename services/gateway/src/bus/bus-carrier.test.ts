import { HEARTBEAT_LATE_MS, subjectsUnder } from '@sluice/contracts';
import { afterEach, expect, it, vi } from 'vitest';
import { BusCarrier, type BusCarrierOptions } from './bus-carrier.ts';

afterEach(() => vi.restoreAllMocks());

function carrierOn(bus: Partial<BusCarrierOptions['bus']>): BusCarrier {
  return new BusCarrier({
    bus: {
      connected: true,
      publish: () => undefined,
      flush: async () => undefined,
      onDisconnect: () => () => undefined,
      onReconnect: () => () => undefined,
      ...bus,
    },
    subjects: subjectsUnder('test'),
    gateway: 'gateway1',
    attempts: { follow: () => undefined },
  });
}

it('a fleet is not heard before the server knows that somebody listens, however long the start takes', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += HEARTBEAT_LATE_MS));
  const subscribed = Promise.withResolvers<void>();
  using carrier = carrierOn({ flush: () => subscribed.promise });
  let heard = false;
  const hearing = carrier.fleetHeard().then(() => (heard = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toBe(false);
  subscribed.resolve();
  await hearing;
});

it('a fleet is heard anew where the connection was lost while it was listened to', async () => {
  let reconnect = () => undefined as void;
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  using carrier = carrierOn({
    onReconnect: (listener) => {
      reconnect = listener;
      return () => undefined;
    },
  });
  await new Promise((resolve) => setImmediate(resolve));
  now = HEARTBEAT_LATE_MS - 1;
  let heard = false;
  const hearing = carrier.fleetHeard().then(() => (heard = true));
  await new Promise((resolve) => setImmediate(resolve));
  reconnect();
  const looks = vi.mocked(performance.now).mock.calls.length;
  // A millisecond is left of the old connection's time, and of the new one's when that is over.
  now = 2 * HEARTBEAT_LATE_MS - 2;
  await vi.waitFor(() =>
    expect(vi.mocked(performance.now).mock.calls.length).toBeGreaterThan(looks),
  );
  expect(heard).toBe(false);
  now += 1;
  await hearing;
});
