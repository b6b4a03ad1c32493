import type { Bus, BusMessage } from '@sluice/bus';
import { SILENCE_LIMIT_MS, encodeFrames, subjectsUnder } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Attempt } from '../domain/attempt.ts';
import { accepted, started } from '../domain/dispatch-fixture.ts';
import { AttemptTable } from './attempt-table.ts';
import { Cancellations } from './cancellations.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

test('a gateway that stood still hears what was said meanwhile before it calls anybody silent', async () => {
  let now = 0;
  let deliver: (message: BusMessage) => void = () => undefined;
  const bus: Partial<Bus> = {
    connected: true,
    subscribe: (_, handler) => {
      deliver = handler;
      return { unsubscribe: () => undefined };
    },
    onDisconnect: () => () => undefined,
    request: () => Promise.reject(new Error('nobody is told')),
  };
  const subjects = subjectsUnder('test');
  using cancellations = new Cancellations({
    bus: bus as Bus,
    subjects,
    logger: createLogger({ service: 'gateway', level: 'silent' }),
  });
  using table = new AttemptTable({
    bus: bus as Bus,
    subjects,
    gateway: 'gateway1',
    cancellations,
    clock: () => now,
  });
  const ignore = () => undefined;
  const attempt = new Attempt({
    name: 'request-1',
    worker: 'worker1',
    observer: { answered: ignore, started: ignore, delta: ignore, usage: ignore, load: ignore },
    clock: () => now,
    limitMs: 10 * SILENCE_LIMIT_MS,
  });
  let end: string | undefined;
  void attempt.ended.then(({ kind }) => (end = kind));
  const say = (number: number) =>
    deliver({
      subject: subjects.delta('gateway1', 'request-1'),
      data: encodeFrames(number, [number === 0 ? accepted() : started()]),
    } as BusMessage);
  const check = async (afterMs: number) => {
    now += afterMs;
    vi.advanceTimersByTime(250);
    await new Promise((resolve) => setImmediate(resolve));
  };

  table.follow(attempt);
  say(0);
  // The process is stopped; its timer comes first when it goes on, then what has come over the bus.
  await check(SILENCE_LIMIT_MS + 1_000);
  expect(end).toBeUndefined();
  say(1);
  await check(250);
  expect(end).toBeUndefined();
  // Without a pause, silence is silence.
  for (let waited = 0; waited < SILENCE_LIMIT_MS; waited += 250) await check(250);
  expect(end).toBe('silent');
});
