import type { Bus, BusMessage } from '@sluice/bus';
import {
  FrameKind,
  SILENCE_LIMIT_MS,
  encodeFrames,
  jsonFrame,
  subjectsUnder,
} from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AttemptTable } from './attempt-table.ts';
import { Cancellations } from './cancellations.ts';
import { RecordingSink, accepted, attemptOf, started } from './dispatch-fixture.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A table with one attempt, and a function that delivers frames to it. */
function followOne(sink = new RecordingSink()) {
  const clock = { now: 0 };
  const ends: string[] = [];
  let deliver: (message: BusMessage) => void = () => undefined;
  const bus: Partial<Bus> = {
    connected: true,
    subscribe: (_, handler) => {
      deliver = handler;
      return { unsubscribe: () => undefined };
    },
    onDisconnect: () => () => undefined,
    onReconnect: () => () => undefined,
    request: () => Promise.reject(new Error('not used by this test')),
  };
  const subjects = subjectsUnder('test');
  const disposables = new DisposableStack();
  const cancellations = disposables.use(
    new Cancellations({
      bus: bus as Bus,
      subjects,
      nameOf: (worker) => worker,
      logger: createLogger({ service: 'gateway', level: 'silent' }),
      clock: () => clock.now,
    }),
  );
  const table = disposables.use(
    new AttemptTable({
      bus: bus as Bus,
      subjects,
      gateway: 'gateway1',
      cancellations,
      clock: () => clock.now,
    }),
  );
  const { attempt } = attemptOf({
    worker: 'worker1',
    sink,
    clock: () => clock.now,
    limitMs: 10 * SILENCE_LIMIT_MS,
  });
  void attempt.ended.then(({ kind }) => ends.push(kind));
  table.follow(attempt);
  return {
    clock,
    ends,
    hear: (data: Uint8Array) =>
      deliver({ subject: subjects.delta('gateway1', 'request-1'), data } as BusMessage),
    [Symbol.dispose]: () => disposables.dispose(),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a gateway that was paused reads pending frames before it ends attempts as silent', async () => {
  using attempt = followOne();
  const { clock, ends, hear } = attempt;
  const check = async (afterMs: number) => {
    clock.now += afterMs;
    vi.advanceTimersByTime(250);
    await turn();
  };

  hear(encodeFrames(0, [accepted()]));
  // After a pause of the process its timers run first, then the pending messages of the bus.
  await check(SILENCE_LIMIT_MS + 1_000);
  expect(ends).toStrictEqual([]);
  hear(encodeFrames(1, [started()]));
  await check(250);
  expect(ends).toStrictEqual([]);
  // Without a pause the silence limit applies.
  for (let waited = 0; waited < SILENCE_LIMIT_MS; waited += 250) await check(250);
  expect(ends).toStrictEqual(['silent']);
});

test('a truncated message ends the attempt and throws nothing', async () => {
  using attempt = followOne();
  attempt.hear(encodeFrames(0, [accepted()]).subarray(0, -1));
  await turn();
  expect(attempt.ends).toStrictEqual(['malformed']);
});

test('an error of the gateway itself ends the attempt and is thrown', async () => {
  const fault = new TypeError('a fault of the gateway');
  const sink = new RecordingSink();
  sink.delta = () => {
    throw fault;
  };
  using attempt = followOne(sink);
  const frames = [accepted(), jsonFrame(FrameKind.delta, { content: 'Hello' })];
  expect(() => attempt.hear(encodeFrames(0, frames))).toThrow(fault);
  await turn();
  expect(attempt.ends).toStrictEqual(['malformed']);
});
