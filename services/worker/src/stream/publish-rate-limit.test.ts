import { describe, expect, it } from 'vitest';
import { PublishRateLimit } from './outbox.ts';

/** The times of the flushes of a worker that always has frames to send. */
function flushesOf(limit: PublishRateLimit, from: number, until: number): number[] {
  const flushes: number[] = [];
  for (let now = from; now < until; now = flushes.at(-1) ?? until) {
    flushes.push(Math.max(now + limit.delayOfNext(now), now + 0.1));
  }
  return flushes;
}

describe('the rate limit of flushes', () => {
  it('does not delay a quiet worker', () => {
    const limit = new PublishRateLimit(0);
    for (let now = 0; now < 10_000; now += 5) expect(limit.delayOfNext(now)).toBe(0);
  });

  it('is some 200 a second for a worker that always has frames to send', () => {
    const flushes = flushesOf(new PublishRateLimit(0), 0, 1_000);
    expect(flushes.length).toBeGreaterThan(195);
    expect(flushes.length).toBeLessThan(220);
  });

  it('recovers soon after a busy time, even if many counted flushes never happened', () => {
    const limit = new PublishRateLimit(0);
    for (let now = 0; now < 60_000; now += 1) limit.delayOfNext(now);
    const burst = Array.from({ length: 10 }, (_, index) => limit.delayOfNext(60_100 + index));
    expect(burst).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('bounds the burst after any pause', () => {
    const limit = new PublishRateLimit(0);
    const delays = Array.from({ length: 20 }, () => limit.delayOfNext(3_600_000));
    expect(delays.filter((delay) => delay === 0)).toHaveLength(16);
  });

  it('allows a burst again after a pause', () => {
    const limit = new PublishRateLimit(0);
    flushesOf(limit, 0, 1_000);
    const burst = Array.from({ length: 10 }, (_, index) => limit.delayOfNext(1_100 + index * 0.1));
    expect(burst).toEqual(Array.from({ length: 10 }, () => 0));
  });
});
