import { BusDisconnectedError, BusTimeoutError } from '@sluice/bus';
import { subjectsUnder } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Cancellations } from './cancellations.ts';

it.each([
  ['a worker that never hears is warned of', true, ['a cancel was never acknowledged']],
  ['nobody is warned of cancels that a lost bus could not carry', false, []],
])('%s', async (_, connected, expected) => {
  const said: unknown[] = [];
  const write = (line: string) => void said.push((JSON.parse(line) as { msg: string }).msg);
  let now = 0;
  using cancellations = new Cancellations({
    bus: {
      connected,
      request: (subject) => {
        // The minute is over after one attempt.
        now += 60_000;
        return Promise.reject(
          connected ? new BusTimeoutError(subject) : new BusDisconnectedError(),
        );
      },
      onReconnect: () => () => undefined,
    },
    subjects: subjectsUnder('test'),
    logger: createLogger({ service: 'gateway', level: 'info', destination: { write } }),
    clock: () => now,
  });
  cancellations.cancel('worker1', 'request-1');
  await cancellations.settled();
  expect(said).toEqual(expected);
  expect(cancellations.size).toBe(0);
});

it('a cancel that a lost bus could not carry is the first that is said when it is back', async () => {
  const said: string[] = [];
  const reconnected = new Set<() => void>();
  const bus = {
    connected: false,
    request: async (subject: string) => {
      if (!bus.connected) throw new BusDisconnectedError();
      said.push(subject);
      return Promise.reject(new BusTimeoutError(subject));
    },
    onReconnect: (listener: () => void) => {
      reconnected.add(listener);
      return () => reconnected.delete(listener);
    },
  };
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  using cancellations = new Cancellations({
    bus,
    subjects: subjectsUnder('test'),
    logger: createLogger({ service: 'gateway', level: 'silent' }),
    clock: () => Date.now(),
  });
  cancellations.cancel('worker1', 'request-1');
  await vi.waitFor(() => expect(reconnected.size).toBe(1));
  bus.connected = true;
  for (const listener of reconnected) listener();
  await vi.waitFor(() => expect(said).toEqual(['test.control.worker1']));
});
