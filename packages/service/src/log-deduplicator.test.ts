import { expect, it } from 'vitest';
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
  const deduplicator = new LogDeduplicator({ quietMs: 10, now: () => now });
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
