import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type TimedEntry, TimerWheel } from './timer-wheel.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function entry(log: string[], name: string): TimedEntry {
  return { due: null, run: (now) => void log.push(`${name}@${Math.round(now)}`) };
}

function startWheel() {
  const start = performance.now();
  const wheel = new TimerWheel(() => performance.now() - start);
  return { wheel, log: [] as string[] };
}

test('entries run in the order of their due times, never early', () => {
  const { wheel, log } = startWheel();
  wheel.schedule(entry(log, 'c'), 30);
  wheel.schedule(entry(log, 'a'), 5.2);
  wheel.schedule(entry(log, 'b'), 20);
  vi.advanceTimersByTime(5);
  expect(log).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(log).toEqual(['a@6', 'b@20', 'c@30']);
  expect(vi.getTimerCount()).toBe(0);
});

test('an entry that is already due runs in the next turn of the event loop', () => {
  const { wheel, log } = startWheel();
  wheel.schedule(entry(log, 'now'), 0);
  expect(log).toEqual([]);
  vi.runAllTicks();
  vi.advanceTimersToNextTimer();
  expect(log).toEqual(['now@0']);
});

test('a cancelled entry does not run, and without entries there is no timer', () => {
  const { wheel, log } = startWheel();
  const gone = entry(log, 'gone');
  wheel.schedule(gone, 10);
  wheel.cancel(gone);
  wheel.cancel(gone);
  expect(vi.getTimerCount()).toBe(0);
  wheel.schedule(entry(log, 'kept'), 12);
  vi.advanceTimersByTime(50);
  expect(log).toEqual(['kept@12']);
});

test('an entry that is due after more than one turn of the wheel waits for its time', () => {
  const { wheel, log } = startWheel();
  wheel.schedule(entry(log, 'late'), 20_000);
  wheel.schedule(entry(log, 'soon'), 100);
  vi.advanceTimersByTime(19_999);
  expect(log).toEqual(['soon@100']);
  vi.advanceTimersByTime(2);
  expect(log).toEqual(['soon@100', 'late@20000']);
});

test('an entry that is scheduled again runs only at its new time', () => {
  const { wheel, log } = startWheel();
  const moved = entry(log, 'moved');
  wheel.schedule(moved, 10);
  wheel.schedule(moved, 40);
  vi.advanceTimersByTime(39);
  expect(log).toEqual([]);
  vi.advanceTimersByTime(5_000);
  expect(log).toEqual(['moved@40']);
});

test('an entry can schedule itself while it runs', () => {
  const { wheel } = startWheel();
  const times: number[] = [];
  const paced: TimedEntry = {
    due: null,
    run(now) {
      times.push(Math.round(now));
      if (times.length < 4) wheel.schedule(paced, times.length * 10);
    },
  };
  wheel.schedule(paced, 0);
  vi.advanceTimersByTime(100);
  expect(times).toEqual([0, 10, 20, 30]);
});

test('after a pause of the whole process, every overdue entry runs once', () => {
  let now = 0;
  const wheel = new TimerWheel(() => now);
  const log: string[] = [];
  for (let index = 0; index < 50; index += 1) {
    wheel.schedule(entry(log, `e${index}`), 1 + index * 200);
  }
  now = 60_000;
  vi.advanceTimersByTime(1);
  expect(log).toHaveLength(50);
  expect(new Set(log).size).toBe(50);
  expect(vi.getTimerCount()).toBe(0);
});
