import { describe, expect, it } from 'vitest';
import { RecentCancels } from './recent-cancels.ts';

describe('recent cancels', () => {
  it('are remembered for a minute', () => {
    const cancels = new RecentCancels();
    cancels.remember('a-1', 0);
    expect(cancels.has('a-1', 59_999)).toBe(true);
    expect(cancels.has('a-1', 60_000)).toBe(false);
    expect(cancels.has('b-1', 0)).toBe(false);
  });

  it('are remembered from their latest repetition', () => {
    const cancels = new RecentCancels();
    cancels.remember('a-1', 0);
    cancels.remember('b-1', 10_000);
    cancels.remember('a-1', 50_000);
    cancels.sweep(70_000);
    expect(cancels.has('a-1', 70_000)).toBe(true);
    expect(cancels.size).toBe(1);
  });

  it('are bounded in number', () => {
    const cancels = new RecentCancels();
    for (let attempt = 0; attempt <= 100_000; attempt += 1) cancels.remember(`r-${attempt}`, 0);
    expect(cancels.size).toBe(100_000);
    expect(cancels.has('r-0', 0)).toBe(false);
    expect(cancels.has('r-100000', 0)).toBe(true);
  });
});
