import { BusDisconnectedError, BusTimeoutError } from '@sluice/bus';
import { subjectsUnder } from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Cancellations } from './cancellations.ts';

it.each([
  ['a cancel that is never acknowledged is logged', true, ['a cancel was never acknowledged']],
  ['cancels that a disconnected bus could not send are not logged', false, []],
])('%s', async (_, connected, expected) => {
  const logged: unknown[] = [];
  const write = (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg);
  let now = 0;
  using cancellations = new Cancellations({
    bus: {
      connected,
      request: (subject) => {
        // The time limit has passed after one attempt.
        now += 60_000;
        return Promise.reject(
          connected ? new BusTimeoutError(subject) : new BusDisconnectedError(),
        );
      },
      onReconnect: () => () => undefined,
    },
    subjects: subjectsUnder('test'),
    nameOf: (worker) => worker,
    logger: createLogger({ service: 'gateway', level: 'info', destination: { write } }),
    clock: () => now,
  });
  cancellations.cancel('worker1', 'request-1');
  await cancellations.settled();
  expect(logged).toEqual(expected);
  expect(cancellations.size).toBe(0);
});

it('a cancel that a disconnected bus could not send is sent at once after the reconnect', async () => {
  const sent: string[] = [];
  const listeners = new Set<() => void>();
  const bus = {
    connected: false,
    request: async (subject: string) => {
      if (!bus.connected) throw new BusDisconnectedError();
      sent.push(subject);
      return Promise.reject(new BusTimeoutError(subject));
    },
    onReconnect: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  using cancellations = new Cancellations({
    bus,
    subjects: subjectsUnder('test'),
    nameOf: (worker) => worker,
    logger: createLogger({ service: 'gateway', level: 'silent' }),
    clock: () => Date.now(),
  });
  cancellations.cancel('worker1', 'request-1');
  await vi.waitFor(() => expect(listeners.size).toBe(1));
  bus.connected = true;
  for (const listener of listeners) listener();
  await vi.waitFor(() => expect(sent).toEqual(['test.control.worker1']));
});
