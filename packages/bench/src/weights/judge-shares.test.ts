import type { AttemptRecord } from '@sluice/contracts';
import { expect, test } from 'vitest';
import { overtakenBy, servedTokens, shareWithoutWaiting, sharesOf } from './judge-shares.ts';

function attemptOf(change: Partial<AttemptRecord>): AttemptRecord {
  return {
    kind: 'attempt',
    id: 'r-1',
    request: 'r',
    worker: 'w',
    gateway: 'g',
    organization: 'a',
    project: 'p',
    model: 'm',
    ended: 'finished',
    reason: null,
    generated_tokens: 100,
    unheard_tokens: 0,
    usage: { input_tokens: 10, cached_tokens: 0, output_tokens: 100, reasoning_tokens: 0 },
    accepted_at_ms: 1_000,
    queued_ms: 0,
    ran_ms: 1_000,
    ...change,
  };
}

const all = { fromMs: 0, untilMs: 10_000 };
const stopped = { ended: 'abandoned', reason: 'cancelled', usage: null } as const;

test('the tokens of a generation count in the time in which they were generated', () => {
  const attempts = [attemptOf({ queued_ms: 500 })];
  expect(servedTokens(attempts, all).get('a')).toBe(110);
  expect(servedTokens(attempts, { fromMs: 1_500, untilMs: 1_750 }).get('a')).toBe(35);
  expect(servedTokens(attempts, { fromMs: 2_000, untilMs: 9_000 }).get('a')).toBe(50);
  expect(servedTokens(attempts, { fromMs: 3_000, untilMs: 9_000 }).get('a')).toBe(0);
});

test('a generation that was stopped counts with the mean prompt, and a job without a slot not at all', () => {
  const attempts = [
    attemptOf({}),
    attemptOf({ organization: 'b', generated_tokens: 7, ...stopped }),
    attemptOf({ organization: 'c', generated_tokens: 0, ran_ms: 0, ...stopped }),
  ];
  const served = servedTokens(attempts, all);
  expect([...served]).toEqual([
    ['a', 110],
    ['b', 17],
  ]);
  expect(sharesOf(served, ['b', 'c'])).toEqual([
    { organization: 'b', tokens: 17, share: 1 },
    { organization: 'c', tokens: 0, share: 0 },
  ]);
});

test('a waiting attempt is overtaken by those that get a slot of its worker before it', () => {
  const high = attemptOf({ organization: 'high', accepted_at_ms: 1_000, queued_ms: 100 });
  const low = (start: number, worker = 'w') =>
    attemptOf({ organization: 'low', accepted_at_ms: 500, queued_ms: start - 500, worker });
  expect(overtakenBy([high, low(999), low(1_101)], 'high')).toEqual([0]);
  expect(overtakenBy([high, low(1_050, 'other')], 'high')).toEqual([0]);
  expect(overtakenBy([high, low(1_050), low(1_060)], 'high')).toEqual([2]);
  // It did not have to wait.
  expect(overtakenBy([{ ...high, queued_ms: 0 }, low(1_050)], 'high')).toEqual([]);
});

test('an organization is not saturated while none of its jobs wait at one of the workers', () => {
  const window = { fromMs: 1_000, untilMs: 2_000 };
  const waiting = (from: number, until: number, worker = 'w') =>
    attemptOf({ accepted_at_ms: from, queued_ms: until - from, worker });
  const attempts = [waiting(500, 1_200), waiting(1_100, 1_500), waiting(1_750, 2_500)];
  expect(shareWithoutWaiting(attempts, 'a', window)).toBeCloseTo(0.25);
  expect(shareWithoutWaiting([...attempts, waiting(0, 1_400, 'x')], 'a', window)).toBeCloseTo(0.6);
});
