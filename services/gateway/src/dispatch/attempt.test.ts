import {
  FrameKind,
  SILENCE_LIMIT_MS,
  encodeFrames,
  frame,
  jsonFrame,
  readFrames,
  type Frame,
} from '@sluice/contracts';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { isWorkersFault, mayStillRun, reasonOf, type AttemptEnd } from './attempt-end.ts';
import {
  RecordingSink,
  accepted,
  attemptOf,
  delta,
  finished,
  load,
  started,
} from './dispatch-fixture.ts';

function setUp() {
  let now = 0;
  const deltas: string[] = [];
  const events: string[] = [];
  const sink = new RecordingSink();
  sink.started = () => void events.push('started');
  sink.delta = (body) => void deltas.push(Buffer.from(body).toString('utf8'));
  sink.usage = () => void events.push('usage');
  const { attempt, worker, fleet, body } = attemptOf({ sink, clock: () => now });
  vi.spyOn(fleet, 'observe').mockImplementation(() => void events.push('load'));
  vi.spyOn(body, 'accepted').mockImplementation(() => void events.push('accepted'));
  let end: AttemptEnd | undefined;
  void attempt.ended.then((reached) => {
    end = reached;
  });
  return {
    attempt,
    worker,
    deltas,
    events,
    send: (first: number, ...frames: Frame[]) =>
      readFrames(encodeFrames(first, frames), attempt.onFrame),
    checkAt: (time: number) => {
      now = time;
      attempt.checkTime(time);
    },
    ended: async () => {
      await Promise.resolve();
      return end;
    },
  };
}

describe('an attempt', () => {
  test('reads its frames in order to the explicit end', async () => {
    const { send, deltas, events, ended } = setUp();
    send(0, accepted(), started());
    send(2, delta('a'), delta('b'), frame(FrameKind.tick), delta('c'));
    send(6, jsonFrame(FrameKind.usage, {}), finished());
    expect(deltas).toHaveLength(3);
    expect(events).toEqual(['load', 'accepted', 'started', 'usage', 'load']);
    expect(await ended()).toEqual({ kind: 'finished', finishReason: 'stop' });
  });

  test.each<[string, (parts: ReturnType<typeof setUp>) => void]>([
    ['accepts', ({ send }) => send(0, accepted(), accepted(), finished())],
    ['refuses', ({ send }) => send(0, jsonFrame(FrameKind.refused, { reason: 'full', load }))],
    ['says nothing', ({ attempt }) => attempt.end({ kind: 'unanswered' })],
  ])('counts as an offer until its worker %s', (_case, happen) => {
    const parts = setUp();
    parts.attempt.begin();
    expect(parts.worker.offered).toBe(1);
    happen(parts);
    expect(parts.worker.offered).toBe(0);
    parts.attempt.end({ kind: 'left' });
    expect(parts.worker.offered).toBe(0);
  });

  test('fails on a gap, and hears nothing after it', async () => {
    const { send, deltas, ended } = setUp();
    send(0, accepted());
    send(2, delta('b'), finished());
    expect(deltas).toEqual([]);
    expect(await ended()).toEqual({ kind: 'gap' });
  });

  test('hears nothing after its end', async () => {
    const { attempt, send, deltas, events, ended } = setUp();
    send(0, accepted(), delta('a'));
    attempt.end({ kind: 'left' });
    send(2, delta('b'), started(), jsonFrame(FrameKind.usage, {}), finished());
    expect(deltas).toHaveLength(1);
    expect(events).toEqual(['load', 'accepted']);
    expect(await ended()).toEqual({ kind: 'left' });
  });

  test('ignores frames that it has had', async () => {
    const { send, deltas, ended } = setUp();
    send(0, accepted(), delta('a'));
    send(0, accepted(), delta('a'));
    send(2, finished());
    expect(deltas).toHaveLength(1);
    expect(await ended()).toMatchObject({ kind: 'finished' });
  });

  test('knows no kind of a newer worker, and goes on', async () => {
    const { send, ended } = setUp();
    send(0, accepted(), { kind: 99, body: Buffer.from('x') }, finished());
    expect(await ended()).toMatchObject({ kind: 'finished' });
  });

  test('fails on a body that cannot be read', async () => {
    const { send, ended } = setUp();
    send(0, { kind: FrameKind.accepted, body: Buffer.from('{') });
    expect(await ended()).toEqual({ kind: 'malformed' });
  });

  test('may be given back after it was accepted', async () => {
    const { send, events, ended } = setUp();
    send(
      0,
      accepted(),
      jsonFrame(FrameKind.refused, { reason: 'draining', load, retry_after_ms: 5 }),
    );
    expect(await ended()).toEqual({
      kind: 'refused',
      reason: 'draining',
      retryAfterMs: 5,
      accepted: true,
    });
    expect(events).toEqual(['load', 'accepted', 'load']);
  });

  test('fails when an accepted worker is silent, which a tick prevents', async () => {
    const { send, checkAt, ended } = setUp();
    send(0, accepted());
    checkAt(SILENCE_LIMIT_MS - 1);
    send(1, frame(FrameKind.tick));
    checkAt(2 * SILENCE_LIMIT_MS - 2);
    expect(await ended()).toBeUndefined();
    checkAt(2 * SILENCE_LIMIT_MS - 1);
    expect(await ended()).toEqual({ kind: 'silent' });
  });

  test('is not silent before it was accepted', async () => {
    const { checkAt, ended } = setUp();
    checkAt(2 * SILENCE_LIMIT_MS);
    expect(await ended()).toBeUndefined();
  });

  test('ends when it has taken too long in all, ticks or not', async () => {
    const { send, checkAt, ended } = setUp();
    send(0, accepted());
    for (let time = 5_000, number = 1; time < 60_000; time += 5_000, number += 1) {
      checkAt(time);
      send(number, frame(FrameKind.tick));
    }
    expect(await ended()).toBeUndefined();
    checkAt(60_000);
    expect(await ended()).toEqual({ kind: 'overdue' });
  });

  test('delivers a prefix of the deltas and ends by a gap, whatever messages are lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 20, size: 'max' }),
        fc.array(fc.boolean(), { maxLength: 20, size: 'max' }),
        async (sizes, lost) => {
          const { send, deltas, ended } = setUp();
          let number = 0;
          const missing: Frame[] = [];
          const sent: string[] = [];
          const deliver = (index: number, frames: Frame[]) => {
            if (lost[index] === true) missing.push(...frames);
            else send(number, ...frames);
            number += frames.length;
          };
          deliver(0, [accepted()]);
          for (const [index, size] of sizes.entries()) {
            const frames = Array.from({ length: size }, (_, item) => delta(`${index}.${item}`));
            sent.push(...frames.map(({ body }) => Buffer.from(body).toString('utf8')));
            deliver(index + 1, frames);
          }
          send(number, finished());
          expect(deltas).toEqual(sent.slice(0, deltas.length));
          expect(await ended()).toMatchObject({
            kind: missing.length > 0 ? 'gap' : 'finished',
          });
          if (missing.length === 0) expect(deltas).toEqual(sent);
        },
      ),
    );
  });
});

const FINISHED: AttemptEnd = { kind: 'finished', finishReason: 'stop' };
const REFUSED = { kind: 'refused', reason: 'full', retryAfterMs: undefined } as const;
const FAILED = { kind: 'failed', reason: 'upstream_busy', retryAfterMs: undefined } as const;

test('a worker has to be told of an end, unless it has told it itself or is not there', () => {
  const told: AttemptEnd[] = [
    FINISHED,
    { ...REFUSED, accepted: false },
    { ...FAILED, retryable: false },
    { kind: 'nobody_listens' },
  ];
  expect(told.filter(mayStillRun)).toEqual([]);
  const untold: AttemptEnd[] = [
    { kind: 'unanswered' },
    { kind: 'silent' },
    { kind: 'gap' },
    { kind: 'malformed' },
    { kind: 'disconnected' },
    { kind: 'overdue' },
    { kind: 'left' },
  ];
  expect(untold.filter(mayStillRun)).toEqual(untold);
});

test('a worker is to blame for its silence and for what cannot be read, and for a failure that another may cure', () => {
  const itsFault: AttemptEnd[] = [
    { kind: 'unanswered' },
    { kind: 'nobody_listens' },
    { kind: 'silent' },
    { kind: 'gap' },
    { kind: 'malformed' },
    { ...FAILED, retryable: true },
  ];
  expect(itsFault.filter(isWorkersFault)).toEqual(itsFault);
  const notItsFault: AttemptEnd[] = [
    FINISHED,
    { ...REFUSED, accepted: true },
    { ...FAILED, retryable: false },
    { kind: 'disconnected' },
    { kind: 'overdue' },
    { kind: 'left' },
  ];
  expect(notItsFault.filter(isWorkersFault)).toEqual([]);
});

test('a reason of a newer worker is counted as another', () => {
  expect(reasonOf({ ...FAILED, retryable: true })).toBe('upstream_busy');
  expect(reasonOf({ ...FAILED, retryable: true, reason: 'moonlight' })).toBe('other');
  expect(reasonOf({ kind: 'gap' })).toBe('none');
});
