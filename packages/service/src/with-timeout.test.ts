import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withTimeout } from './timers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ['is done', () => Promise.resolve('done')],
  ['fails', () => Promise.reject(new Error('a bug'))],
])('work that %s is waited for, and no timer is left', async (_, work) => {
  await expect(withTimeout(1_000, work())).resolves.toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

it('work that does not end is waited for until the time limit', async () => {
  let over = false;
  void withTimeout(1_000, new Promise(() => undefined)).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(999);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(over).toBe(true);
});
