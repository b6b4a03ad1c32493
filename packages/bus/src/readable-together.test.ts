import { describe, expect, it } from 'vitest';
import { readableRange } from './readable-together.ts';

const ranges = (...bytes: number[]) =>
  readableRange(
    bytes.map((size, index) => ({ sequence: 10 + 2 * index, bytes: size })),
    10,
  ).map(({ range, count }) => [range.from, range.to, count]);

describe('a readable range', () => {
  it('contains all changes if they are small', () => {
    expect(ranges(1, 2, 3)).toEqual([[10, 14, 3]]);
    expect(ranges()).toEqual([]);
  });

  it('is at most the given number of bytes', () => {
    expect(ranges(4, 6, 1, 9, 1)).toEqual([
      [10, 12, 2],
      [14, 16, 2],
      [18, 18, 1],
    ]);
  });

  it('is a single change if that exceeds the limit', () => {
    expect(ranges(1, 11, 12, 1)).toEqual([
      [10, 10, 1],
      [12, 12, 1],
      [14, 14, 1],
      [16, 16, 1],
    ]);
  });
});
