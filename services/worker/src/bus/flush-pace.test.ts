import { describe, expect, it } from 'vitest';
import { FlushPace } from './flush-pace.ts';

/** The flushes of a worker that has something to say all the time, by when each of them is. */
function flushesOf(pace: FlushPace, from: number, until: number): number[] {
  const flushes: number[] = [];
  for (let now = from; now < until; now = flushes.at(-1) ?? until) {
    flushes.push(Math.max(now + pace.delayOfNext(now), now + 0.1));
  }
  return flushes;
}

describe('the pace of flushes', () => {
  it('lets nobody wait whose worker has little to say', () => {
    const pace = new FlushPace(0);
    for (let now = 0; now < 10_000; now += 5) expect(pace.delayOfNext(now)).toBe(0);
  });

  it('is some 200 a second for one that has something to say all the time', () => {
    const flushes = flushesOf(new FlushPace(0), 0, 1_000);
    expect(flushes.length).toBeGreaterThan(195);
    expect(flushes.length).toBeLessThan(220);
  });

  it('is quiet again soon after a busy time, however often what waited was overtaken', () => {
    const pace = new FlushPace(0);
    for (let now = 0; now < 60_000; now += 1) pace.delayOfNext(now);
    const burst = Array.from({ length: 10 }, (_, index) => pace.delayOfNext(60_100 + index));
    expect(burst).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('lets no larger burst go for a longer rest', () => {
    const pace = new FlushPace(0);
    const delays = Array.from({ length: 20 }, () => pace.delayOfNext(3_600_000));
    expect(delays.filter((delay) => delay === 0)).toHaveLength(16);
  });

  it('lets a burst go at once again after a rest', () => {
    const pace = new FlushPace(0);
    flushesOf(pace, 0, 1_000);
    const burst = Array.from({ length: 10 }, (_, index) => pace.delayOfNext(1_100 + index * 0.1));
    expect(burst).toEqual(Array.from({ length: 10 }, () => 0));
  });
});
