import { describe, expect, it } from 'vitest';
import type { Exchange } from './exchange.ts';
import { LimitModel } from './limit-model.ts';

const LIMITS = {
  requests_per_minute: 60,
  requests_per_day: 1_000,
  tokens_per_minute: null,
  tokens_per_day: 10_000,
};

function reply(at: number, changes: Partial<Exchange> = {}): Exchange {
  return {
    origin: 'http://gateway',
    startedAt: at,
    endedAt: at,
    ending: 'complete',
    status: 200,
    headers: { 'x-ratelimit-remaining-requests-day': '1' },
    answer: undefined,
    errorCode: undefined,
    unreadable: undefined,
    ...changes,
  };
}

function lastSaying(requests: number, tokens: number): Exchange {
  return reply(0, {
    headers: {
      'x-ratelimit-limit-requests-day': '1000',
      'x-ratelimit-remaining-requests-day': String(1_000 - requests),
      'x-ratelimit-limit-tokens-day': '10000',
      'x-ratelimit-remaining-tokens-day': String(10_000 - tokens),
    },
  });
}

describe('the model of the limits', () => {
  it('requires that the day count equals the admissions', () => {
    const model = new LimitModel(LIMITS);
    for (let request = 0; request < 5; request += 1) model.add(reply(request), 7);
    model.add(reply(6, { status: 429 }), 7);
    model.add(reply(7, { status: 503, headers: {}, errorCode: 'authentication_unavailable' }), 7);
    expect(model.judgeDay(lastSaying(5, 35), []).map(({ ok }) => ok)).toEqual([true, true]);
    expect(model.judgeDay(lastSaying(6, 42), []).map(({ ok }) => ok)).toEqual([false, false]);
    expect(model.judgeDay(lastSaying(4, 28), []).map(({ ok }) => ok)).toEqual([false, false]);
  });

  it('allows one charge or none for a request without an answer', () => {
    const model = new LimitModel(LIMITS);
    model.add(reply(0), 7);
    model.add(reply(1, { ending: 'unreachable', status: undefined, headers: {} }), 7);
    expect(model.judgeDay(lastSaying(1, 7), []).every(({ ok }) => ok)).toBe(true);
    expect(model.judgeDay(lastSaying(2, 14), []).every(({ ok }) => ok)).toBe(true);
    expect(model.judgeDay(lastSaying(3, 21), []).every(({ ok }) => ok)).toBe(false);
  });

  it('finds one request too many in a minute', () => {
    const exact = new LimitModel(LIMITS);
    const over = new LimitModel(LIMITS);
    for (let request = 0; request < 60; request += 1) {
      exact.add(reply(0), 1);
      over.add(reply(0), 1);
    }
    exact.add(reply(1_000), 1);
    over.add(reply(900), 1);
    expect(exact.judgeMinute([]).ok).not.toBe(false);
    expect(over.judgeMinute([]).ok).toBe(false);
  });

  it('does not count a late reply as a late admission', () => {
    const model = new LimitModel(LIMITS);
    model.add(reply(0, { endedAt: 5_001 }), 1);
    for (let request = 0; request < 60; request += 1) model.add(reply(5_000), 1);
    expect(model.judgeMinute([]).ok).not.toBe(false);
  });

  it('finds a refusal before the limit was reached, and is undecided without refusals', () => {
    const just = new LimitModel(LIMITS);
    const unjust = new LimitModel(LIMITS);
    for (let request = 0; request < 60; request += 1) {
      just.add(reply(request), 1);
      unjust.add(reply(request), 1);
    }
    expect(just.judgeMinute([]).ok).toBeUndefined();
    just.add(reply(900, { status: 429 }), 1);
    expect(just.judgeMinute([]).ok).toBe(true);
    // Five requests have been refilled by this time.
    unjust.add(reply(5_100, { status: 429 }), 1);
    expect(unjust.judgeMinute([]).ok).toBe(false);
    // A request without an answer may have been charged.
    for (let request = 0; request < 5; request += 1) {
      unjust.add(reply(200, { ending: 'unreachable', status: undefined, headers: {} }), 1);
    }
    expect(unjust.judgeMinute([]).ok).toBe(true);
  });

  it('excuses only the writes that a killed store can have lost', () => {
    const model = new LimitModel(LIMITS);
    model.add(reply(1_000), 7);
    model.add(reply(5_000), 7);
    const saysOne = lastSaying(1, 7);
    expect(model.judgeDay(saysOne, []).every(({ ok }) => !ok)).toBe(true);
    expect(model.judgeDay(saysOne, [5_500]).every(({ ok }) => ok)).toBe(true);
    expect(model.judgeDay(saysOne, [9_000]).every(({ ok }) => !ok)).toBe(true);
    expect(model.judgeDay(lastSaying(0, 0), [5_500]).every(({ ok }) => !ok)).toBe(true);
  });
});
