import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { everyInterval } from './timers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const seen = { checks: 0, now: 0 };
  const watch = everyInterval(() => void (seen.checks += 1), {
    everyMs: 250,
    clock: () => seen.now,
  });
  const pass = (milliseconds: number) => {
    seen.now += milliseconds;
    vi.advanceTimersByTime(250);
  };
  return { seen, pass, watch };
}

it('checks each time, also when it comes a little late', () => {
  const { seen, pass } = setUp();
  pass(250);
  pass(1_249);
  expect(seen.checks).toBe(2);
});

it('skips the first check after the process was paused', () => {
  const { seen, pass } = setUp();
  pass(250);
  pass(60_000);
  expect(seen.checks).toBe(1);
  pass(250);
  expect(seen.checks).toBe(2);
});

it('checks every second time in a process that is always late', () => {
  const { seen, pass } = setUp();
  for (let turn = 0; turn < 10; turn += 1) pass(2_000);
  expect(seen.checks).toBe(5);
});

it('ends when it is disposed of', () => {
  const { seen, pass, watch } = setUp();
  watch[Symbol.dispose]();
  pass(250);
  expect([seen.checks, vi.getTimerCount()]).toEqual([0, 0]);
});
