import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deadline } from './timers.ts';

const missed = vi.fn<() => void>();
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(() => {
  missed.mockClear();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

it('is missed once the time is over and nothing has stopped it', async () => {
  const deadline = new Deadline(1_000, missed);
  vi.advanceTimersByTime(999);
  await nextTurn();
  expect(missed).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  await nextTurn();
  expect(missed).toHaveBeenCalledOnce();
  deadline.stop();
});

it('that was stopped in time is not missed', async () => {
  const deadline = new Deadline(1_000, missed);
  deadline.stop();
  vi.advanceTimersByTime(10_000);
  await nextTurn();
  expect(missed).not.toHaveBeenCalled();
});

it('is kept by data that arrived while the process was paused, and is read after its timers', async () => {
  const deadline = new Deadline(1_000, missed);
  vi.advanceTimersByTime(10_000);
  deadline.stop();
  await nextTurn();
  expect(missed).not.toHaveBeenCalled();
});
