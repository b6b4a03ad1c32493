import { describe, expect, it } from 'vitest';
import { median, medianRange, percentile, summarize, trendOf } from './statistics.ts';

describe('statistics', () => {
  it('takes the middle value, or the mean of the two middle values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 7])).toBe(6);
  });

  it('returns as a percentile the value that this share of all values does not exceed', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(values, 0.5)).toBe(50);
    expect(percentile(values, 0.99)).toBe(99);
    expect(percentile(values, 1)).toBe(100);
  });

  it('summarizes only measured values', () => {
    expect(summarize([3, Number.NaN, 1])).toEqual({ median: 2, least: 1, most: 3, count: 2 });
    expect(summarize([Number.NaN])).toBeUndefined();
  });
});

describe('the range of a median', () => {
  it.each([
    [5, undefined],
    [6, { low: 1, high: 6 }],
    [8, { low: 1, high: 8 }],
    [9, { low: 2, high: 8 }],
    [24, { low: 7, high: 18 }],
  ])('of the numbers from 1 to %i is that of the sign test', (count, range) => {
    const values = Array.from({ length: count }, (_, index) => count - index);
    expect(medianRange(values)).toEqual(range);
  });

  it('leaves out values that were not measured', () => {
    expect(medianRange([1, 2, 3, 4, 5, Number.NaN])).toBeUndefined();
  });
});

describe('a trend', () => {
  const line = (slope: number, noise: (at: number) => number = () => 0) =>
    Array.from({ length: 30 }, (_, at) => ({ at, value: 100 + slope * at + noise(at) }));

  it('is the slope of a line', () => {
    const { slope, low, high } = trendOf(line(2));
    expect([slope, low, high]).toEqual([2, 2, 2]);
  });

  it('is not changed by a few outliers', () => {
    expect(trendOf(line(0, (at) => (at % 10 === 9 ? 500 : 0))).slope).toBe(0);
  });

  it('distinguishes growth from noise by the range of the values', () => {
    const wobble = (at: number) => ((at * 7) % 5) - 2;
    expect(trendOf(line(0, wobble)).low).toBeLessThanOrEqual(0);
    expect(trendOf(line(1, wobble)).low).toBeGreaterThan(0);
  });
});
