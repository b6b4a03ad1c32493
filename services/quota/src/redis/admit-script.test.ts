import { describe, expect, it } from 'vitest';
import { readReply, scriptArguments } from './admit-script.ts';

const LIMITS = {
  requests_per_minute: 7,
  requests_per_day: null,
  tokens_per_minute: 0,
  tokens_per_day: 100_000_000_000,
};

describe('the arguments of the script', () => {
  it('name each key, then of each call the revision, the limits with -1 for unlimited, and every cost', () => {
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
  const part = (costs: number) => Buffer.concat([Buffer.of(1), Buffer.alloc(48 + costs * 47)]);

  it('of the wrong length is an error, never a guess', () => {
    expect(() => readReply(part(1), [2])).toThrow(RangeError);
    expect(() => readReply(part(0), [0, 0])).toThrow(RangeError);
    expect(() => readReply(Buffer.concat([part(0), part(0)]), [0])).toThrow(RangeError);
    expect(() => readReply(Buffer.alloc(0), [0])).toThrow(RangeError);
    expect(() => readReply(Buffer.alloc(0), [1])).toThrow(RangeError);
  });

  it('that refuses by no limit is an error', () => {
    expect(() => readReply(part(1), [1])).toThrow(RangeError);
  });

  it('tells an organization whose state cannot be used from the others', () => {
    const reply = Buffer.concat([part(0), Buffer.of(0), part(0)]);
    expect(readReply(reply, [0, 3, 0])).toStrictEqual([[], undefined, []]);
  });
});
