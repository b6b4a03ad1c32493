import { HEARTBEAT_LATE_MS, subjectsUnder } from '@sluice/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BusCarrier, type BusCarrierOptions } from './bus-carrier.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

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
    clock: () => Date.now(),
  });
}

/** Listens to the fleet. Tells whether it has been heard when so much more time has passed. */
function listenOn(carrier: BusCarrier): (passedMs: number) => Promise<boolean> {
  let heard = false;
  void carrier.fleetHeard().then(() => (heard = true));
  return async (passedMs) => {
    await vi.advanceTimersByTimeAsync(passedMs);
    return heard;
  };
}

it('a fleet is heard once each worker has had its turn', async () => {
  using carrier = carrierOn({});
  const isHeardAfter = listenOn(carrier);
  expect(await isHeardAfter(HEARTBEAT_LATE_MS - 1)).toBe(false);
  expect(await isHeardAfter(1)).toBe(true);
});

it('a fleet is not heard before the server knows that somebody listens, however long the start takes', async () => {
  const subscribed = Promise.withResolvers<void>();
  using carrier = carrierOn({ flush: () => subscribed.promise });
  const isHeardAfter = listenOn(carrier);
  expect(await isHeardAfter(10 * HEARTBEAT_LATE_MS)).toBe(false);
  subscribed.resolve();
  expect(await isHeardAfter(HEARTBEAT_LATE_MS - 1)).toBe(false);
  expect(await isHeardAfter(1)).toBe(true);
});

it('a fleet is heard anew where the connection was lost while it was listened to', async () => {
  let reconnect = () => undefined as void;
  using carrier = carrierOn({
    onReconnect: (listener) => {
      reconnect = listener;
      return () => undefined;
    },
  });
  const isHeardAfter = listenOn(carrier);
  expect(await isHeardAfter(HEARTBEAT_LATE_MS - 1)).toBe(false);
  reconnect();
  expect(await isHeardAfter(HEARTBEAT_LATE_MS - 1)).toBe(false);
  expect(await isHeardAfter(1)).toBe(true);
});

it('a lost connection is waited for from its loss on, and no longer than told', async () => {
  let lose = () => undefined as void;
  using carrier = carrierOn({
    connected: false,
    onDisconnect: (listener) => {
      lose = listener;
      return () => undefined;
    },
  });
  await vi.advanceTimersByTimeAsync(500);
  lose();
  await vi.advanceTimersByTimeAsync(700);
  const isBack = vi.fn<(back: boolean) => void>();
  void carrier.reconnected(1_000).then(isBack);
  await vi.advanceTimersByTimeAsync(299);
  expect(isBack).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(isBack).toHaveBeenCalledWith(false);
});
