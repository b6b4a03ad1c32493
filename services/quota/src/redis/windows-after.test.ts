import { expect, test } from 'vitest';
import { windowsAfter, type Used } from './admit-script.ts';

const NOTHING: Used = { requestsDeficit: 0, tokensDeficit: 0, requestsToday: 0, tokensToday: 0 };
const LIMITS = {
  requests_per_minute: 7,
  requests_per_day: 100,
  tokens_per_minute: 1_000,
  tokens_per_day: 5_000,
};
const REST_OF_DAY = 3_000;

test('if nothing is used, everything remains and only the day limits have a reset', () => {
  expect(windowsAfter(NOTHING, LIMITS, REST_OF_DAY)).toStrictEqual({
    requests_per_minute: { limit: 7, remaining: 7, resetMs: 0 },
    requests_per_day: { limit: 100, remaining: 100, resetMs: REST_OF_DAY },
    tokens_per_minute: { limit: 1_000, remaining: 1_000, resetMs: 0 },
    tokens_per_day: { limit: 5_000, remaining: 5_000, resetMs: REST_OF_DAY },
  });
});

test('parts of a request and of a millisecond are rounded up', () => {
  const used = { requestsDeficit: 60_001, tokensDeficit: 1, requestsToday: 2, tokensToday: 26 };
  expect(windowsAfter(used, LIMITS, REST_OF_DAY)).toStrictEqual({
    requests_per_minute: { limit: 7, remaining: 5, resetMs: 8_572 },
    requests_per_day: { limit: 100, remaining: 98, resetMs: REST_OF_DAY },
    tokens_per_minute: { limit: 1_000, remaining: 999, resetMs: 1 },
    tokens_per_day: { limit: 5_000, remaining: 4_974, resetMs: REST_OF_DAY },
  });
});

test('the largest amounts are divided exactly', () => {
  const limit = 100_000_000_000;
  const limits = { ...LIMITS, tokens_per_minute: limit };
  const tokensDeficit = limit * 59_999 + 1;
  expect(
    windowsAfter({ ...NOTHING, tokensDeficit }, limits, REST_OF_DAY).tokens_per_minute,
  ).toStrictEqual({
    limit,
    remaining: 1_666_666,
    resetMs: 60_000,
  });
});

test('nothing remains of a day limit that was lowered below its use', () => {
  const used = { ...NOTHING, requestsToday: 101 };
  expect(windowsAfter(used, LIMITS, REST_OF_DAY).requests_per_day?.remaining).toBe(0);
});

test('a limit of 0 has no reset', () => {
  const limits = { ...LIMITS, requests_per_minute: 0 };
  const used = { ...NOTHING, requestsDeficit: 5 };
  expect(windowsAfter(used, limits, REST_OF_DAY).requests_per_minute?.resetMs).toBe(0);
});

test('without limits there are no windows', () => {
  const unlimited = {
    requests_per_minute: null,
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
  };
  expect(windowsAfter(NOTHING, unlimited, REST_OF_DAY)).toStrictEqual(unlimited);
});
