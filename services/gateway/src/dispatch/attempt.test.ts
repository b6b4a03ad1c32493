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
import { isWorkerFault, mayStillRun, reasonOf, type AttemptEnd } from './attempt-end.ts';
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
  test('reads its frames in order up to the explicit end', async () => {
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
    ['stays silent', ({ attempt }) => attempt.end({ kind: 'unanswered' })],
  ])('counts as an offer until its worker %s', (_case, happen) => {
    const parts = setUp();
    parts.attempt.begin();
    expect(parts.worker.offered).toBe(1);
    happen(parts);
    expect(parts.worker.offered).toBe(0);
    parts.attempt.end({ kind: 'left' });
    expect(parts.worker.offered).toBe(0);
  });

  test('fails on a gap and ignores all frames after it', async () => {
    const { send, deltas, ended } = setUp();
    send(0, accepted());
    send(2, delta('b'), finished());
    expect(deltas).toEqual([]);
    expect(await ended()).toEqual({ kind: 'gap' });
  });

  test('ignores all frames after its end', async () => {
    const { attempt, send, deltas, events, ended } = setUp();
    send(0, accepted(), delta('a'));
    attempt.end({ kind: 'left' });
    send(2, delta('b'), started(), jsonFrame(FrameKind.usage, {}), finished());
    expect(deltas).toHaveLength(1);
    expect(events).toEqual(['load', 'accepted']);
    expect(await ended()).toEqual({ kind: 'left' });
  });

  test('ignores a frame whose number it has already read', async () => {
    const { send, deltas, ended } = setUp();
    send(0, accepted(), delta('a'));
    send(0, accepted(), delta('a'));
    send(2, finished());
    expect(deltas).toHaveLength(1);
    expect(await ended()).toMatchObject({ kind: 'finished' });
  });

  test('ignores frame kinds of newer workers', async () => {
    const { send, ended } = setUp();
    send(0, accepted(), { kind: 99, body: Buffer.from('x') }, finished());
    expect(await ended()).toMatchObject({ kind: 'finished' });
  });

  test('fails on a body that cannot be read', async () => {
    const { send, ended } = setUp();
    send(0, { kind: FrameKind.accepted, body: Buffer.from('{') });
    expect(await ended()).toEqual({ kind: 'malformed' });
  });

  test('can be returned after it was accepted', async () => {
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

  test('fails if it is silent after it was accepted, unless ticks arrive', async () => {
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

  test('ends at its time limit, even if ticks arrive', async () => {
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

  test('delivers a prefix of the deltas and ends with a gap if any messages are lost', async () => {
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

test('a worker needs a cancel unless it reported the end itself or does not subscribe', () => {
  const noCancel: AttemptEnd[] = [
    FINISHED,
    { ...REFUSED, accepted: false },
    { ...FAILED, retryable: false },
    { kind: 'nobody_listens' },
  ];
  expect(noCancel.filter(mayStillRun)).toEqual([]);
  const needsCancel: AttemptEnd[] = [
    { kind: 'unanswered' },
    { kind: 'silent' },
    { kind: 'gap' },
    { kind: 'malformed' },
    { kind: 'disconnected' },
    { kind: 'overdue' },
    { kind: 'left' },
  ];
  expect(needsCancel.filter(mayStillRun)).toEqual(needsCancel);
});

test('silence, unreadable frames and retryable failures are the fault of the worker', () => {
  const itsFault: AttemptEnd[] = [
    { kind: 'unanswered' },
    { kind: 'nobody_listens' },
    { kind: 'silent' },
    { kind: 'gap' },
    { kind: 'malformed' },
    { ...FAILED, retryable: true },
  ];
  expect(itsFault.filter(isWorkerFault)).toEqual(itsFault);
  const notItsFault: AttemptEnd[] = [
    FINISHED,
    { ...REFUSED, accepted: true },
    { ...FAILED, retryable: false },
    { kind: 'disconnected' },
    { kind: 'overdue' },
    { kind: 'left' },
  ];
  expect(notItsFault.filter(isWorkerFault)).toEqual([]);
});

test('a reason of a newer worker is counted as other', () => {
  expect(reasonOf({ ...FAILED, retryable: true })).toBe('upstream_busy');
  expect(reasonOf({ ...FAILED, retryable: true, reason: 'moonlight' })).toBe('other');
  expect(reasonOf({ kind: 'gap' })).toBe('none');
});
