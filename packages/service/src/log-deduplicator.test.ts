import { expect, it, onTestFinished, vi } from 'vitest';
import { LogDeduplicator } from './log-deduplicator.ts';

it('each text is logged once, until a reset', () => {
  const deduplicator = new LogDeduplicator();
  expect(
    ['no route', 'no route', 'refused', 'no route'].map((text) => deduplicator.shouldLog(text)),
  ).toEqual([true, false, true, false]);
  expect(deduplicator.reset()).toBe(true);
  expect(deduplicator.reset()).toBe(false);
  expect(deduplicator.shouldLog('no route')).toBe(true);
});

it('a text is logged again after the quiet time, each text in its own time', () => {
  let now = 0;
  const deduplicator = new LogDeduplicator({ quietMs: 10, clock: () => now });
  const heard: string[] = [];
  for (const [at, text] of [
    [0, 'refused'],
    [9, 'refused'],
    [9, 'no route'],
    [10, 'refused'],
    [18, 'no route'],
    [19, 'refused'],
    [20, 'refused'],
  ] as const) {
    now = at;
    if (deduplicator.shouldLog(text)) heard.push(`${at} ${text}`);
  }
  expect(heard).toEqual(['0 refused', '9 no route', '10 refused', '20 refused']);
});

it('repeats of a text are counted, and logged when its quiet time ends or on disposal', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const logged: [string, number][] = [];
  const deduplicator = new LogDeduplicator({
    quietMs: 10,
    logRepeats: (text, count) => logged.push([text, count]),
  });
  expect(
    ['refused', 'refused', 'no route', 'refused'].map((text) => deduplicator.shouldLog(text)),
  ).toEqual([true, false, true, false]);
  vi.advanceTimersByTime(9);
  expect(logged).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(logged).toEqual([['refused', 2]]);
  expect(['no route', 'refused'].map((text) => deduplicator.shouldLog(text))).toEqual([
    true,
    false,
  ]);
  deduplicator[Symbol.dispose]();
  expect(logged).toEqual([
    ['refused', 2],
    ['refused', 1],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
