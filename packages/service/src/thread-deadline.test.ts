import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ThreadDeadline } from './threads.ts';

const missed = vi.fn<() => void>();
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(() => {
  missed.mockClear();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => void vi.useRealTimers());

it('a thread deadline is missed if nothing stops it in time', async () => {
  const deadline = new ThreadDeadline(1_000, missed);
  vi.advanceTimersByTime(999);
  await nextTurn();
  expect(missed).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10_000);
  await nextTurn();
  expect(missed).toHaveBeenCalledOnce();
  deadline.stop();
});

it('a pause of the process costs a thread deadline only one step', async () => {
  const deadline = new ThreadDeadline(1_000, missed);
  for (let step = 1; step < 8; step += 1) vi.advanceTimersToNextTimer();
  await nextTurn();
  expect(missed).not.toHaveBeenCalled();
  deadline.stop();
});

it('a thread deadline is met by a message that arrived in time and is read after the timers', async () => {
  const deadline = new ThreadDeadline(1_000, missed);
  vi.advanceTimersByTime(1_000);
  deadline.stop();
  await nextTurn();
  expect(missed).not.toHaveBeenCalled();
});
