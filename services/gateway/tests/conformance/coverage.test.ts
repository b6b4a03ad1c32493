import { expect, test } from 'vitest';
import { CASE_GROUPS } from './all-cases.ts';
import { SENTENCES } from './sentences.ts';

const cases = CASE_GROUPS.flatMap((group) => group.cases);

test('every sentence has a case', () => {
  const proven = new Set(cases.flatMap(({ proves }) => proves));
  expect(Object.keys(SENTENCES).filter((id) => ![...proven].some((known) => known === id))).toEqual(
    [],
  );
});

test('every case names what it proves, under a title of its own', () => {
  expect(cases.filter(({ proves }) => proves.length === 0)).toEqual([]);
  for (const { section, cases: rows } of CASE_GROUPS) {
    const titles = rows.map(({ title }) => title);
    expect([section, new Set(titles).size]).toEqual([section, titles.length]);
  }
});

test('the suite is large', () => {
  expect(cases.length).toBeGreaterThanOrEqual(250);
});
