import { HEARTBEAT_LATE_MS, subjectsUnder } from '@sluice/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AttemptSender, type AttemptSenderOptions } from './attempt-sender.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function senderOn(bus: Partial<AttemptSenderOptions['bus']>): AttemptSender {
  return new AttemptSender({
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

/** Waits for the fleet. The returned function advances the time and says whether the fleet is known. */
function watchFleet(sender: AttemptSender): (passedMs: number) => Promise<boolean> {
  let known = false;
  void sender.fleetKnown().then(() => (known = true));
  return async (passedMs) => {
    await vi.advanceTimersByTimeAsync(passedMs);
    return known;
  };
}

it('the fleet is known after the time in which every worker sends a heartbeat', async () => {
  using sender = senderOn({});
  const isKnownAfter = watchFleet(sender);
  expect(await isKnownAfter(HEARTBEAT_LATE_MS - 1)).toBe(false);
  expect(await isKnownAfter(1)).toBe(true);
});

it('the fleet is not known before the server has processed the subscriptions', async () => {
  const subscribed = Promise.withResolvers<void>();
  using sender = senderOn({ flush: () => subscribed.promise });
  const isKnownAfter = watchFleet(sender);
  expect(await isKnownAfter(10 * HEARTBEAT_LATE_MS)).toBe(false);
  subscribed.resolve();
  expect(await isKnownAfter(HEARTBEAT_LATE_MS - 1)).toBe(false);
  expect(await isKnownAfter(1)).toBe(true);
});

it('a reconnect restarts the wait for the fleet', async () => {
  let reconnect = () => undefined as void;
  using sender = senderOn({
    onReconnect: (listener) => {
      reconnect = listener;
      return () => undefined;
    },
  });
  const isKnownAfter = watchFleet(sender);
  expect(await isKnownAfter(HEARTBEAT_LATE_MS - 1)).toBe(false);
  reconnect();
  expect(await isKnownAfter(HEARTBEAT_LATE_MS - 1)).toBe(false);
  expect(await isKnownAfter(1)).toBe(true);
});

it('the wait for a reconnect counts from the loss of the connection', async () => {
  let lose = () => undefined as void;
  using sender = senderOn({
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
  void sender.waitForReconnect(1_000).then(isBack);
  await vi.advanceTimersByTimeAsync(299);
  expect(isBack).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(isBack).toHaveBeenCalledWith(false);
});
