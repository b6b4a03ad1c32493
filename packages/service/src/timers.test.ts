import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deadline } from './timers.ts';

const missed = vi.fn<() => void>();
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(() => {
  missed.mockClear();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

it('a deadline is missed if nothing stops it in time', async () => {
  const deadline = new Deadline(1_000, missed);
  vi.advanceTimersByTime(999);
  await nextTurn();
  expect(missed).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  await nextTurn();
  expect(missed).toHaveBeenCalledOnce();
  deadline.stop();
});

it('a deadline that was stopped in time is not missed', async () => {
  const deadline = new Deadline(1_000, missed);
  deadline.stop();
  vi.advanceTimersByTime(10_000);
  await nextTurn();
  expect(missed).not.toHaveBeenCalled();
});

it('a deadline is met by data that arrived during a pause of the process and is read after its timers', async () => {
  const deadline = new Deadline(1_000, missed);
  vi.advanceTimersByTime(10_000);
  deadline.stop();
  await nextTurn();
  expect(missed).not.toHaveBeenCalled();
});
