import { expect, it } from 'vitest';
import { SaidOnce } from './said-once.ts';

it('each text is news once, until what it told of is over', () => {
  const said = new SaidOnce();
  expect(['no route', 'no route', 'refused', 'no route'].map((text) => said.isNews(text))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(said.over()).toBe(true);
  expect(said.over()).toBe(false);
  expect(said.isNews('no route')).toBe(true);
});

it('what goes on for longer than the quiet is news again, each text in its own time', () => {
  let now = 0;
  const said = new SaidOnce({ quietMs: 10, now: () => now });
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
    if (said.isNews(text)) heard.push(`${at} ${text}`);
  }
  expect(heard).toEqual(['0 refused', '9 no route', '10 refused', '20 refused']);
});
