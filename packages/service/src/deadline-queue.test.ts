import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeadlineQueue } from './deadline-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('deadlines in a queue', () => {
  it('are missed in the order of their starts, each after its own time', async () => {
    const missed: string[] = [];
    const deadlines = new DeadlineQueue({ limitMs: 100, clock: () => performance.now() });
    deadlines.start(performance.now(), () => missed.push('first'));
    await vi.advanceTimersByTimeAsync(50);
    deadlines.start(performance.now(), () => missed.push('second'));
    await vi.advanceTimersByTimeAsync(60);
    expect(missed).toStrictEqual(['first']);
    await vi.advanceTimersByTimeAsync(50);
    expect(missed).toStrictEqual(['first', 'second']);
  });

  it('are missed one after another, however many are still to come', async () => {
    const missed: string[] = [];
    const deadlines = new DeadlineQueue({ limitMs: 100, clock: () => performance.now() });
    for (const name of ['first', 'second', 'third']) {
      deadlines.start(performance.now(), () => missed.push(name));
      await vi.advanceTimersByTimeAsync(30);
    }
    await vi.advanceTimersByTimeAsync(45);
    expect(missed).toStrictEqual(['first', 'second']);
  });

  it('count from when the waiting began, whatever the order of the starts', async () => {
    const missed: string[] = [];
    const deadlines = new DeadlineQueue({ limitMs: 100, clock: () => performance.now() });
    const began = performance.now();
    await vi.advanceTimersByTimeAsync(60);
    deadlines.start(performance.now(), () => missed.push('new'));
    deadlines.start(began, () => missed.push('waited'));
    await vi.advanceTimersByTimeAsync(42);
    expect(missed).toStrictEqual(['waited']);
    await vi.advanceTimersByTimeAsync(60);
    expect(missed).toStrictEqual(['waited', 'new']);
  });

  it('use no more memory than the calls in flight need', () => {
    const deadlines = new DeadlineQueue({ limitMs: 100, clock: () => performance.now() });
    for (let count = 0; count < 100; count += 1) {
      const calls = [1, 2].map(() => deadlines.start(performance.now(), () => undefined));
      expect(new Set(calls.map(({ place }) => place))).toStrictEqual(new Set([0, 1]));
      for (const call of calls) deadlines.stop(call);
    }
  });

  it('are not missed by a call that was answered', async () => {
    const missed = vi.fn<() => void>();
    const deadlines = new DeadlineQueue({ limitMs: 100, clock: () => performance.now() });
    const answered = deadlines.start(performance.now(), missed);
    await vi.advanceTimersByTimeAsync(99);
    deadlines.stop(answered);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(missed).not.toHaveBeenCalled();
  });

  it('are not stopped by a late answer to another call', async () => {
    const missed: string[] = [];
    const deadlines = new DeadlineQueue({ limitMs: 100, clock: () => performance.now() });
    const late = deadlines.start(performance.now(), () => missed.push('late'));
    await vi.advanceTimersByTimeAsync(110);
    deadlines.start(performance.now(), () => missed.push('next'));
    deadlines.stop(late);
    deadlines.stop(late);
    deadlines.start(performance.now(), () => missed.push('another'));
    await vi.advanceTimersByTimeAsync(110);
    expect(missed).toStrictEqual(['late', 'next', 'another']);
  });

  it('use one timer, however many calls there are', () => {
    const deadlines = new DeadlineQueue({ limitMs: 100, clock: () => performance.now() });
    for (let call = 0; call < 1_000; call += 1) deadlines.start(performance.now(), () => undefined);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('continue for calls that start while others expire', async () => {
    const missed: string[] = [];
    const deadlines = new DeadlineQueue({ limitMs: 100, clock: () => performance.now() });
    deadlines.start(performance.now(), () => {
      missed.push('first');
      deadlines.start(performance.now(), () => missed.push('second'));
    });
    await vi.advanceTimersByTimeAsync(250);
    expect(missed).toStrictEqual(['first', 'second']);
  });
});
