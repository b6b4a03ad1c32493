import { describe, expect, it } from 'vitest';
import { readReply, scriptArguments } from './admit-script.ts';

const LIMITS = {
  requests_per_minute: 7,
  requests_per_day: null,
  tokens_per_minute: 0,
  tokens_per_day: 100_000_000_000,
};

describe('the arguments of the script', () => {
  it('are the keys, then for each call its revision, its limits with -1 for unlimited, and its costs', () => {
    const [count, ...others] = scriptArguments(
      ['quota:{acme}', 'quota:{next}'],
      [
        {
          organization: 'acme',
          limits: LIMITS,
          revision: { epoch: 5, sequence: 6 },
          costs: [
            { requests: 1, tokens: 20 },
            { requests: 0, tokens: 0 },
          ],
        },
        {
          organization: 'next',
          limits: { ...LIMITS, requests_per_minute: 8 },
          revision: { epoch: 9, sequence: Number.MAX_SAFE_INTEGER },
          costs: [{ requests: 3, tokens: 4 }],
        },
      ],
    );
    const packed = others.pop();
    expect([count, ...others]).toStrictEqual([2, 'quota:{acme}', 'quota:{next}']);
    const doubles = Buffer.isBuffer(packed)
      ? Array.from({ length: packed.length / 8 }, (_, index) => packed.readDoubleLE(index * 8))
      : [];
    const acme = [5, 6, 7, -1, 0, 100_000_000_000, 2, 1, 20, 0, 0];
    const next = [9, Number.MAX_SAFE_INTEGER, 8, -1, 0, 100_000_000_000, 1, 3, 4];
    expect(doubles).toStrictEqual([...acme, ...next]);
  });
});

describe('a reply of the script', () => {
  const CLOCK = 1_000;
  const call = (costs: number) => ({
    organization: 'acme',
    limits: LIMITS,
    revision: { epoch: 1, sequence: 1 },
    costs: Array.from({ length: costs }, () => ({ requests: 1, tokens: 20 })),
  });
  const doubles = (...values: number[]) => Buffer.from(Float64Array.from(values).buffer);
  const begun = doubles(CLOCK);
  const asGiven = Buffer.of(1);
  const admitted = Buffer.concat([Buffer.of(0), doubles(60_000, 0, 3, 4)]);

  it('has a verdict for each cost, by the given limits', () => {
    const reply = Buffer.concat([begun, asGiven, admitted]);
    const verdict = {
      outcome: 'admitted',
      decidedAtMs: CLOCK,
      windows: {
        requests_per_minute: { limit: 7, remaining: 6, resetMs: 8_572 },
        requests_per_day: null,
        tokens_per_minute: { limit: 0, remaining: 0, resetMs: 0 },
        tokens_per_day: { limit: 100_000_000_000, remaining: 99_999_999_996, resetMs: 86_399_000 },
      },
    };
    expect(readReply(reply, [call(1)])).toStrictEqual([[verdict]]);
  });

  it('has the clock, the end of the counted day and the limits in force if they differ from the given ones', () => {
    const others = Buffer.concat([Buffer.of(2), doubles(2_000, 172_800_000, 5, 10, -1, 20)]);
    const refused = Buffer.concat([
      Buffer.of(2),
      doubles(0, 0, 10, 4),
      Buffer.of(0x10, 0x27, 0, 0),
      Buffer.of(0),
    ]);
    const verdict = {
      outcome: 'refused',
      decidedAtMs: 2_000,
      refusedBy: 'requests_per_day',
      waitMs: 10_000,
      exceedsCapacity: false,
      windows: {
        requests_per_minute: { limit: 5, remaining: 5, resetMs: 0 },
        requests_per_day: { limit: 10, remaining: 0, resetMs: 172_798_000 },
        tokens_per_minute: null,
        tokens_per_day: { limit: 20, remaining: 16, resetMs: 172_798_000 },
      },
    };
    const reply = Buffer.concat([begun, others, refused]);
    expect(readReply(reply, [call(1)])).toStrictEqual([[verdict]]);
  });

  it('of the wrong length is an error', () => {
    const one = Buffer.concat([begun, asGiven, admitted]);
    expect(readReply(one, [call(1)])).toHaveLength(1);
    expect(() => readReply(one, [call(2)])).toThrow(RangeError);
    expect(() => readReply(one, [])).toThrow(RangeError);
    expect(() => readReply(one, [call(1), call(1)])).toThrow(RangeError);
    expect(() => readReply(one.subarray(0, -1), [call(1)])).toThrow(RangeError);
    expect(() => readReply(Buffer.alloc(0), [call(1)])).toThrow(RangeError);
  });

  it('with an unknown status or limit is an error', () => {
    const strange = Buffer.concat([begun, Buffer.of(3), admitted]);
    expect(() => readReply(strange, [call(1)])).toThrow(RangeError);
    const byNobody = Buffer.concat([begun, asGiven, Buffer.of(5), doubles(0, 0, 0, 0)]);
    expect(() => readReply(byNobody, [call(1)])).toThrow(RangeError);
  });

  it('marks an organization whose state cannot be used', () => {
    const decided = Buffer.concat([asGiven, admitted]);
    const reply = Buffer.concat([begun, decided, Buffer.of(0), decided]);
    const [before, unusable, after] = readReply(reply, [call(1), call(3), call(1)]);
    expect(unusable).toBeUndefined();
    expect(before).toHaveLength(1);
    expect(after).toStrictEqual(before);
  });
});
