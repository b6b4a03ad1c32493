import { describe, expect, test } from 'vitest';
import type { UnfinishedEnd } from './attempt-end.ts';
import { decideNext, type JobProgress } from './retry-rules.ts';

const FRESH: JobProgress = {
  delivered: false,
  retried: false,
  returns: 0,
  bodyBytes: 100,
  isBodyReleased: false,
};
const failed = (retryable: boolean, reason = 'upstream_unavailable'): UnfinishedEnd => ({
  kind: 'failed',
  reason,
  retryable,
  retryAfterMs: undefined,
});
const refused = (accepted: boolean, reason = 'full'): UnfinishedEnd => ({
  kind: 'refused',
  reason,
  retryAfterMs: undefined,
  accepted,
});

const ENDS: UnfinishedEnd[] = [
  failed(true),
  failed(false),
  refused(true),
  refused(false),
  { kind: 'unanswered' },
  { kind: 'nobody_listens' },
  { kind: 'silent' },
  { kind: 'gap' },
  { kind: 'malformed' },
  { kind: 'disconnected' },
  { kind: 'overdue' },
  { kind: 'left' },
];

test('a job fails after any end once part of its answer has reached the client', () => {
  for (const end of ENDS) {
    expect(decideNext(end, { ...FRESH, delivered: true })).toEqual({ kind: 'fail' });
  }
});

test('a job is retried once, and never without its body', () => {
  const retried = ENDS.filter((end) => decideNext(end, FRESH).kind === 'retry');
  expect(retried.map(({ kind }) => kind)).toEqual([
    'failed',
    'silent',
    'gap',
    'malformed',
    'disconnected',
  ]);
  for (const end of retried) {
    expect(decideNext(end, { ...FRESH, retried: true })).toEqual({ kind: 'fail' });
    expect(decideNext(end, { ...FRESH, isBodyReleased: true })).toEqual({ kind: 'fail' });
  }
});

describe('a retry goes', () => {
  test.each<[string, UnfinishedEnd, string]>([
    ['to another worker after a failure', failed(true), 'another'],
    ['to another worker after silence', { kind: 'silent' }, 'another'],
    [
      'to the same worker, if there is no other, after invalid output',
      failed(true, 'invalid_output'),
      'same_if_no_other',
    ],
    ['to any worker after a reconnect', { kind: 'disconnected' }, 'any_after_reconnect'],
  ])('%s', (_case, end, on) => {
    expect(decideNext(end, FRESH)).toEqual({ kind: 'retry', cause: end.kind, on });
  });
});

describe('a job without an answer in time', () => {
  test('is offered to the next worker', () => {
    expect(decideNext({ kind: 'unanswered' }, FRESH)).toEqual({ kind: 'offer_to_next' });
  });

  test('uses up its retry if its body is large, because the body may be the reason', () => {
    const large = { ...FRESH, bodyBytes: 1_000_000 };
    const unanswered = { kind: 'unanswered' } as const;
    expect(decideNext(unanswered, large)).toMatchObject({ kind: 'retry', on: 'another' });
    expect(decideNext(unanswered, { ...large, retried: true })).toEqual({ kind: 'fail' });
  });
});

describe('a job that a worker refused', () => {
  test('before accepting it is offered to the next worker, however often', () => {
    const progress = { ...FRESH, returns: 5, retried: true };
    expect(decideNext(refused(false), progress)).toEqual({ kind: 'offer_to_next' });
  });

  test.each([
    ['runtime_down', 'runtime_down'],
    ['draining', 'draining'],
    ['full', undefined],
    ['a reason of a newer worker', undefined],
  ])('after queueing it restarts its search (%s)', (reason, waitsAfter) => {
    const step = { kind: 'search_again', waitsAfter };
    expect(decideNext(refused(true, reason), FRESH)).toEqual(step);
    expect(decideNext(refused(true, reason), { ...FRESH, retried: true })).toEqual(step);
  });

  test('after queueing it for the sixth time is given up', () => {
    expect(decideNext(refused(true), { ...FRESH, returns: 4 }).kind).toBe('search_again');
    expect(decideNext(refused(true), { ...FRESH, returns: 5 })).toEqual({ kind: 'give_up' });
  });

  test('after queueing it is refused as busy if its body is released', () => {
    const step = { kind: 'refuse_as_busy' };
    expect(decideNext(refused(true), { ...FRESH, isBodyReleased: true })).toEqual(step);
    expect(decideNext(refused(true), { ...FRESH, isBodyReleased: true, returns: 5 })).toEqual(step);
  });
});
