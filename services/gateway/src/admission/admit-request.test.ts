import type { AdmissionDecision, LimitName, LimitWindows } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { testPrincipal } from '../access/principal-fixture.ts';
import { admitRequest } from './admit-request.ts';

const windows: LimitWindows = {
  requests_per_minute: { limit: 60, remaining: 0, resetMs: 1 },
  requests_per_day: { limit: 500, remaining: 0, resetMs: 1 },
  tokens_per_minute: { limit: 1_000, remaining: 0, resetMs: 1 },
  tokens_per_day: { limit: 9_000, remaining: 0, resetMs: 1 },
};

const principal = testPrincipal({
  limits: {
    requests_per_minute: 60,
    requests_per_day: 500,
    tokens_per_minute: 1_000,
    tokens_per_day: 9_000,
  },
  limitsRevision: { epoch: 1, sequence: 2 },
});

async function refusalFor(
  refusedBy: LimitName,
  { waitMs = 1_500, exceedsCapacity = false, tokens = 2_000 } = {},
) {
  const decision: AdmissionDecision = {
    outcome: 'refused',
    windows,
    decidedAtMs: 0,
    refusedBy,
    waitMs,
    exceedsCapacity,
  };
  const limiter = { admit: () => Promise.resolve(decision) };
  const { refusal } = await admitRequest(limiter, principal, { tokens, requestId: 'request' });
  return refusal;
}

describe('a refusal', () => {
  test('by a minute limit states the wait, in words that no client treats as permanent', async () => {
    for (const name of ['requests_per_minute', 'tokens_per_minute'] as const) {
      const refusal = await refusalFor(name);
      expect(refusal).toMatchObject({ retryAfterMs: 1_500, retryable: true });
      expect(refusal?.message).toContain('retry in 2 seconds');
      expect(refusal?.message).not.toMatch(/quota|billing|will reset at/i);
    }
  });

  test('by a day limit states the time of the reset and is not retryable', async () => {
    const refusal = await refusalFor('requests_per_day', { waitMs: 3_600_000 });
    expect(refusal).toMatchObject({ retryAfterMs: 3_600_000, retryable: false });
    expect(refusal?.message).toContain('resets at 00:00 UTC, in 3600 seconds');
  });

  test('by a day limit is retryable in the last minute of the day', async () => {
    expect(await refusalFor('tokens_per_day', { waitMs: 60_000 })).toMatchObject({
      retryable: true,
    });
  });

  test('by a minute limit is retryable even if a clock that was set back makes the wait longer', async () => {
    const refusal = await refusalFor('tokens_per_minute', { waitMs: 65_000 });
    expect(refusal).toMatchObject({ retryAfterMs: 65_000, retryable: true });
  });

  test('of a request larger than a day limit states both sizes and says that the reset does not help', async () => {
    const refusal = await refusalFor('tokens_per_day', { exceedsCapacity: true, tokens: 9_001 });
    expect(refusal).toMatchObject({ retryAfterMs: 60_000, retryable: false });
    expect(refusal?.message).toBe(
      'Request too large: the limit is 9000 tokens per day, requested 9001. ' +
        'The limit resets at 00:00 UTC, and is too small for it on any day.',
    );
  });

  test('by a limit of zero requests states one requested request', async () => {
    const refusal = await refusalFor('requests_per_minute', {
      exceedsCapacity: true,
      tokens: 9_001,
    });
    expect(refusal?.message).toMatch(/requests per minute, requested 1\.$/);
  });

  test('of a request larger than a minute limit states both sizes and a wait of a minute', async () => {
    const refusal = await refusalFor('tokens_per_minute', { waitMs: 7, exceedsCapacity: true });
    expect(refusal).toMatchObject({ retryAfterMs: 60_000, retryable: false });
    expect(refusal?.message).toContain('1000');
    expect(refusal?.message).toContain('2000');
  });
});

test('a limiter that cannot decide gives a retryable refusal without limit windows', async () => {
  const limiter = { admit: () => Promise.resolve<AdmissionDecision>({ outcome: 'unavailable' }) };
  expect(
    await admitRequest(limiter, principal, { tokens: 12, requestId: 'request' }),
  ).toMatchObject({
    windows: undefined,
    refusal: { code: 'rate_limit_unavailable', retryable: true },
  });
});

test('one request and its tokens are charged under the limits of the catalog', async () => {
  const asked: unknown[] = [];
  const limiter = {
    admit: (request: unknown): Promise<AdmissionDecision> => {
      asked.push(request);
      return Promise.resolve({ outcome: 'admitted', windows, decidedAtMs: 0 });
    },
  };
  expect(await admitRequest(limiter, principal, { tokens: 12, requestId: 'request' })).toEqual({
    windows,
    refusal: undefined,
  });
  expect(asked).toEqual([
    {
      organization: 'acme',
      limits: principal.limits,
      revision: { epoch: 1, sequence: 2 },
      requests: 1,
      tokens: 12,
      requestId: 'request',
    },
  ]);
});
