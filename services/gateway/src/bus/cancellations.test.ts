import { BusDisconnectedError, BusTimeoutError } from '@sluice/bus';
import { subjectsUnder } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { afterEach, expect, it, vi } from 'vitest';
import { Cancellations } from './cancellations.ts';

afterEach(() => vi.restoreAllMocks());

it.each([
  ['a worker that never hears is warned of', true, ['a cancel was never acknowledged']],
  ['nobody is warned of cancels that a lost bus could not carry', false, []],
])('%s', async (_, connected, expected) => {
  const said: unknown[] = [];
  const write = (line: string) => void said.push((JSON.parse(line) as { msg: string }).msg);
  using cancellations = new Cancellations({
    bus: {
      connected,
      request: (subject) =>
        Promise.reject(connected ? new BusTimeoutError(subject) : new BusDisconnectedError()),
    },
    subjects: subjectsUnder('test'),
    logger: createLogger({ service: 'gateway', level: 'info', destination: { write } }),
  });
  // The minute is over after one attempt.
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 40_000));
  cancellations.cancel('worker1', 'request-1');
  await cancellations.settled();
  expect(said).toEqual(expected);
  expect(cancellations.size).toBe(0);
});
