import { describe, expect, test } from 'vitest';
import { addRateLimitHeaders, resetText } from './rate-limit-headers.ts';

describe('reset', () => {
  test.each([
    [0, '0s'],
    [120, '0.12s'],
    [120.0001, '0.121s'],
    [60_000, '60s'],
    [86_347_454, '86347.454s'],
    [1, '0.001s'],
  ])('%s ms reads %s', (milliseconds, text) => {
    expect(resetText(milliseconds)).toBe(text);
  });
});

describe('rate-limit headers', () => {
  const windows = {
    requests_per_minute: { limit: 7, remaining: 6.9, resetMs: 8_572 },
    requests_per_day: null,
    tokens_per_minute: { limit: 100, remaining: 0, resetMs: 60_000 },
    tokens_per_day: null,
  };

  test('leave out unlimited windows and round down', () => {
    const headers: Record<string, string> = {};
    addRateLimitHeaders(headers, windows, { tokens: true });
    expect(headers).toEqual({
      'x-ratelimit-limit-requests': '7',
      'x-ratelimit-remaining-requests': '6',
      'x-ratelimit-reset-requests': '8.572s',
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '60s',
    });
  });

  test('name each of the four limits', () => {
    const headers: Record<string, string> = {};
    const window = (limit: number) => ({ limit, remaining: limit - 1, resetMs: limit * 1_000 });
    const limits = {
      requests_per_minute: window(10),
      requests_per_day: window(20),
      tokens_per_minute: window(30),
      tokens_per_day: window(40),
    };
    addRateLimitHeaders(headers, limits, { tokens: true });
    expect(headers).toEqual({
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-reset-requests': '10s',
      'x-ratelimit-limit-requests-day': '20',
      'x-ratelimit-remaining-requests-day': '19',
      'x-ratelimit-reset-requests-day': '20s',
      'x-ratelimit-limit-tokens': '30',
      'x-ratelimit-remaining-tokens': '29',
      'x-ratelimit-reset-tokens': '30s',
      'x-ratelimit-limit-tokens-day': '40',
      'x-ratelimit-remaining-tokens-day': '39',
      'x-ratelimit-reset-tokens-day': '40s',
    });
  });

  test('leave out token limits for requests that spend no tokens', () => {
    const headers: Record<string, string> = {};
    addRateLimitHeaders(headers, windows, { tokens: false });
    expect(Object.keys(headers).some((name) => name.includes('tokens'))).toBe(false);
  });
});
