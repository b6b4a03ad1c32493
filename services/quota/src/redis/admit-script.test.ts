import { describe, expect, it } from 'vitest';
import { readReply, scriptArguments } from './admit-script.ts';

describe('the arguments of the script', () => {
  it('name the key, the revision, the limits with -1 for unlimited, and every cost', () => {
    const call = {
      organization: 'acme',
      limits: {
        requests_per_minute: 7,
        requests_per_day: null,
        tokens_per_minute: 0,
        tokens_per_day: 100_000_000_000,
      },
      revision: { epoch: 5, sequence: 6 },
      costs: [
        { requests: 1, tokens: 20 },
        { requests: 0, tokens: 0 },
      ],
    };
    expect(scriptArguments('quota:{acme}', call)).toStrictEqual([
      1,
      'quota:{acme}',
      5,
      6,
      7,
      -1,
      0,
      100_000_000_000,
      1,
      20,
      0,
      0,
    ]);
  });
});

describe('a reply of the script', () => {
  it('of the wrong length is an error, never a guess', () => {
    expect(() => readReply(Buffer.alloc(48 + 47), 2)).toThrow(RangeError);
    expect(() => readReply(Buffer.alloc(0), 0)).toThrow(RangeError);
  });

  it('that refuses by no limit is an error', () => {
    expect(() => readReply(Buffer.alloc(48 + 47), 1)).toThrow(RangeError);
  });
});
