import { describe, expect, it } from 'vitest';
import { judgeGrowth, type Point } from './memory-growth.ts';

const MINUTE_MS = 60_000;
/** Repeating noise, as if a heap was measured shortly before or after a garbage collection. */
const NOISE = [0, 900, -700, 400, -1_200, 300, 1_100, -500];

function points(count: number, valueAt: (index: number) => number): Point[] {
  return Array.from({ length: count }, (_, index) => ({
    at: index * MINUTE_MS,
    value: valueAt(index) + (NOISE[index % NOISE.length] ?? 0),
  }));
}

const tolerance = { since: 0, toleratedKib: 4_096 };

describe('the judgement on growth', () => {
  it('finds a leak beneath noise', () => {
    const leaking = points(10, (index) => 30_000 + index * 1_000);
    expect(judgeGrowth(leaking, tolerance)).toMatchObject({ ok: false, points: 10 });
  });

  it('does not report noise as growth', () => {
    expect(
      judgeGrowth(
        points(10, () => 30_000),
        tolerance,
      )?.ok,
    ).toBe(true);
  });

  it('is not deceived by a single high point at the end', () => {
    const spike = points(10, (index) => (index === 9 ? 90_000 : 30_000));
    expect(judgeGrowth(spike, tolerance)?.ok).toBe(true);
  });

  it('leaves the beginning out, in which everything grows', () => {
    const warmingUp = points(12, (index) => (index < 4 ? index * 10_000 : 40_000));
    expect(judgeGrowth(warmingUp, { ...tolerance, since: 4 * MINUTE_MS })).toMatchObject({
      ok: true,
      points: 8,
    });
  });

  it('tolerates a growth that adds up to little', () => {
    expect(
      judgeGrowth(
        points(10, (index) => 30_000 + index * 100),
        tolerance,
      )?.ok,
    ).toBe(true);
  });

  it('does not judge too few points', () => {
    expect(
      judgeGrowth(
        points(4, (index) => index * 50_000),
        tolerance,
      ),
    ).toBeUndefined();
  });
});
