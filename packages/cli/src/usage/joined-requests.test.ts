import type { LedgerRecord } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import type { JoinedRequest } from './held-request.ts';
import { RequestJoin } from './joined-requests.ts';
import { attemptOf, requestOf } from './ledger-fixture.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 0, 2, 12);

/** Joins records that were stored one after another, and returns the requests. */
function join(
  records: readonly LedgerRecord[],
  { sinceMs = 0, nowMs = NOON + HOUR_MS } = {},
): { requests: JoinedRequest[]; underWay: number } {
  const { joining, requests } = joiningSince(sinceMs);
  for (const record of records) joining.add(record, NOON);
  const { underWay } = joining.finish(nowMs);
  return { requests, underWay };
}

function joiningSince(sinceMs: number) {
  const requests: JoinedRequest[] = [];
  const onRequest = (request: JoinedRequest) => void requests.push(request);
  return { joining: new RequestJoin({ sinceMs, onRequest }), requests };
}

const usage = { input_tokens: 3, cached_tokens: 1, output_tokens: 12, reasoning_tokens: 5 };

describe('a request and its attempts', () => {
  it.each([
    ['the attempt first', [attemptOf(), requestOf()]],
    ['the request first', [requestOf(), attemptOf()]],
    ['everything twice', [requestOf(), attemptOf(), requestOf(), attemptOf()]],
  ])('are one, %s', (_, records) => {
    expect(join(records)).toEqual({
      requests: [
        {
          organization: 'acme',
          project: 'app',
          credential: 'key1',
          operation: 'completions',
          model: 'large',
          target: 'default',
          receivedAtMs: NOON,
          outcome: 'completed',
          attempts: 1,
          tokens: usage,
          wastedTokens: 0,
          input: { estimated: 4, counted: 3 },
        },
      ],
      underWay: 0,
    });
  });

  it('waste what a failed attempt generated before another attempt started over', () => {
    const failed = attemptOf({ ended: 'failed', generated_tokens: 7, usage: null });
    const records = [failed, attemptOf({ id: 'request1-2' }), requestOf({ attempts: 2 })];
    expect(join(records).requests).toMatchObject([
      { outcome: 'completed', attempts: 2, tokens: usage, wastedTokens: 7 },
    ]);
  });

  it.each([
    [5, 7],
    [0, 12],
  ])(
    'waste what came after a client had left with %d, and count the input as estimated',
    (got, wastedTokens) => {
      const cancelled = { outcome: 'cancelled', delivered_tokens: got, usage: null } as const;
      const stopped = attemptOf({ ended: 'abandoned', reason: 'cancelled', usage: null });
      expect(join([requestOf(cancelled), stopped]).requests).toMatchObject([
        {
          outcome: 'cancelled',
          tokens: { input_tokens: 4, cached_tokens: 0, output_tokens: got, reasoning_tokens: 0 },
          wastedTokens,
        },
      ]);
    },
  );

  it('that no runtime has read have no input', () => {
    const refused = { outcome: 'refused', delivered_tokens: 0, usage: null } as const;
    expect(join([requestOf(refused)]).requests).toMatchObject([
      { outcome: 'refused', attempts: 0, tokens: { input_tokens: 0, output_tokens: 0 } },
    ]);
  });

  it('are counted by when they were received, not by when they were recorded', () => {
    const before = requestOf({ id: 'before', received_at_ms: NOON - 1 });
    const attempt = attemptOf({ id: 'before-1', request: 'before', accepted_at_ms: NOON });
    const { requests, underWay } = join([before, attempt, requestOf()], { sinceMs: NOON });
    expect(requests).toHaveLength(1);
    expect(underWay).toBe(0);
  });
});

describe('an attempt without a request', () => {
  const stopped = { ended: 'abandoned', usage: null } as const;

  it('is one with others of the same request, and each counts once', () => {
    const lost = attemptOf({ ...stopped, reason: 'bus_lost', accepted_at_ms: NOON + 1 });
    const again = attemptOf({ ...stopped, id: 'request1-2', generated_tokens: 5, model: 'small' });
    expect(join([lost, again, lost, again]).requests).toEqual([
      {
        organization: 'acme',
        project: 'app',
        credential: undefined,
        operation: 'completions',
        model: 'large',
        receivedAtMs: NOON + 1,
        outcome: 'abandoned',
        attempts: 2,
        tokens: { input_tokens: 0, cached_tokens: 0, output_tokens: 0, reasoning_tokens: 0 },
        wastedTokens: 17,
        input: undefined,
      },
    ]);
  });

  it('reads as abandoned after a while', () => {
    const lost = attemptOf({ ...stopped, reason: 'bus_lost' });
    expect(join([lost], { nowMs: NOON + 60_000 })).toEqual({ requests: [], underWay: 1 });
    expect(join([lost])).toMatchObject({
      requests: [{ outcome: 'abandoned', attempts: 1, model: 'large', wastedTokens: 12 }],
      underWay: 0,
    });
  });

  it('is waited for from its end on, however long it took', () => {
    const lost = attemptOf({ ...stopped, reason: 'bus_lost', queued_ms: HOUR_MS, ran_ms: HOUR_MS });
    expect(join([lost], { nowMs: NOON + 2 * HOUR_MS + 60_000 }).underWay).toBe(1);
    expect(join([lost], { nowMs: NOON + 3 * HOUR_MS }).underWay).toBe(0);
  });

  it('reads as abandoned at once when its gateway fell silent, unless that one wakes', () => {
    const silent = attemptOf({ ...stopped, reason: 'gateway_silent' });
    const soon = { nowMs: NOON + 60_000 };
    expect(join([silent], soon).requests).toMatchObject([{ outcome: 'abandoned' }]);
    const woken = requestOf({ outcome: 'failed', usage: null, delivered_tokens: 2 });
    expect(join([silent, woken], soon).requests).toMatchObject([
      { outcome: 'failed', wastedTokens: 10 },
    ]);
  });
});

describe('while the ledger is read', () => {
  const MINUTE_MS = 60_000;
  const another = requestOf({ id: 'another', attempts: 0, outcome: 'refused' });
  const at = (minutes: number) => NOON + minutes * MINUTE_MS;

  it('a complete request is told twelve minutes after its last record, and forgotten', () => {
    const { joining, requests } = joiningSince(0);
    joining.add(requestOf(), at(0));
    joining.add(attemptOf(), at(1));
    joining.add(another, at(12.9));
    expect([requests.length, joining.openCount]).toEqual([0, 2]);
    joining.add(another, at(14));
    expect(requests).toMatchObject([{ outcome: 'completed', attempts: 1 }]);
    expect(joining.openCount).toBe(1);
    expect(joining.finish(at(20))).toEqual({ underWay: 0 });
    expect(requests).toMatchObject([{ outcome: 'completed' }, { outcome: 'refused' }]);
    expect(joining.openCount).toBe(0);
  });

  it('what is held does not grow with what was read', () => {
    const { joining, requests } = joiningSince(0);
    const perMinute = 100;
    for (let number = 0; number < 100 * perMinute; number += 1) {
      const id = `request${number}`;
      joining.add(requestOf({ id }), at(number / perMinute));
      joining.add(attemptOf({ id: `${id}-1`, request: id }), at(number / perMinute));
      expect(joining.openCount).toBeLessThanOrEqual(14 * perMinute);
    }
    joining.finish(at(200));
    expect(requests).toHaveLength(100 * perMinute);
    expect(requests.every(({ attempts }) => attempts === 1)).toBe(true);
  });

  it.each([
    ['by another worker than the first', { attempts: 2, refused_offers: 1 }, 'request1-2'],
    ['by nobody', { attempts: 3, refused_offers: 3, outcome: 'failed' }, undefined],
  ] as const)('one is not held for an offer that was refused, served %s', (_, changes, attempt) => {
    const { joining, requests } = joiningSince(0);
    joining.add(requestOf(changes), at(0));
    if (attempt !== undefined) joining.add(attemptOf({ id: attempt }), at(0));
    joining.add(another, at(13));
    expect(requests).toMatchObject([{ attempts: attempt === undefined ? 0 : 1 }]);
    expect(joining.openCount).toBe(1);
  });

  it('one is held for an attempt that lacks beside an offer that was refused', () => {
    const { joining, requests } = joiningSince(0);
    joining.add(requestOf({ attempts: 3, refused_offers: 1 }), at(0));
    joining.add(attemptOf({ id: 'request1-3' }), at(0));
    joining.add(another, at(30));
    expect(requests).toEqual([]);
    joining.add(attemptOf({ ended: 'failed', generated_tokens: 7, usage: null }), at(300));
    joining.finish(at(300));
    expect(requests).toMatchObject([
      { outcome: 'refused' },
      { outcome: 'completed', attempts: 2, wastedTokens: 7 },
    ]);
  });

  it('a request is held for as long as its records are sent again, and counts once', () => {
    const { joining, requests } = joiningSince(0);
    for (const minutes of [0, 10, 20]) {
      joining.add(requestOf(), at(minutes));
      joining.add(attemptOf(), at(minutes));
    }
    expect([requests.length, joining.openCount]).toEqual([0, 1]);
    joining.add(another, at(32));
    expect(requests).toMatchObject([{ attempts: 1, wastedTokens: 0 }]);
  });

  it('a request that lacks an attempt is held for it, without delaying other requests', () => {
    const { joining, requests } = joiningSince(0);
    joining.add(requestOf({ attempts: 2 }), at(0));
    joining.add(attemptOf({ id: 'request1-2' }), at(0));
    joining.add(another, at(1));
    joining.add(requestOf({ id: 'later' }), at(30));
    expect(requests).toMatchObject([{ outcome: 'refused' }]);
    joining.add(attemptOf({ ended: 'failed', generated_tokens: 7, usage: null }), at(300));
    joining.add(attemptOf({ id: 'later-1', request: 'later' }), at(312));
    expect(requests).toMatchObject([
      { outcome: 'refused' },
      { outcome: 'completed', attempts: 2, wastedTokens: 7 },
    ]);
    joining.finish(at(320));
    expect(requests).toHaveLength(3);
  });

  it('one of which only an attempt is known is held for its record', () => {
    const { joining, requests } = joiningSince(0);
    joining.add(attemptOf({ ended: 'failed', generated_tokens: 0, usage: null }), at(0));
    joining.add(another, at(60));
    expect(requests).toEqual([]);
    joining.add(requestOf(), at(90));
    joining.finish(at(90));
    expect(requests).toMatchObject([{ outcome: 'refused' }, { outcome: 'completed', attempts: 1 }]);
  });

  it('a record that is missing for a day counts as lost, and is no longer waited for', () => {
    const { joining, requests } = joiningSince(0);
    const other = { id: 'other-1', request: 'other' };
    joining.add(requestOf({ attempts: 2 }), at(0));
    joining.add(attemptOf({ id: 'request1-2' }), at(0));
    joining.add(
      attemptOf({ ...other, ended: 'abandoned', reason: 'bus_lost', usage: null }),
      at(0),
    );
    joining.add(another, at(24 * 60 - 1));
    expect([requests.length, joining.openCount]).toEqual([0, 3]);
    joining.add(another, at(24 * 60 + 1));
    expect(requests).toMatchObject([
      { outcome: 'completed', attempts: 1, wastedTokens: 0 },
      { outcome: 'abandoned', attempts: 1, wastedTokens: 12 },
    ]);
    expect(joining.openCount).toBe(1);
  });

  it('those received before are left out when they are forgotten too', () => {
    const { joining, requests } = joiningSince(NOON);
    joining.add(requestOf({ received_at_ms: NOON - 1 }), at(0));
    joining.add(attemptOf(), at(0));
    joining.add(another, at(60));
    expect([requests.length, joining.openCount]).toEqual([0, 1]);
  });
});
