import { expect, test } from 'vitest';
import { CASE_GROUPS } from './all-cases.ts';
import { PROVEN_ELSEWHERE } from './proven-elsewhere.ts';
import { SENTENCES } from './sentences.ts';

const cases = CASE_GROUPS.flatMap((group) => group.cases);

test('every sentence has a case, or a test elsewhere', () => {
  const proven = new Set<string>([
    ...cases.flatMap(({ proves }) => proves),
    ...Object.keys(PROVEN_ELSEWHERE),
  ]);
  expect(Object.keys(SENTENCES).filter((id) => !proven.has(id))).toEqual([]);
});

test('every case has a unique title and names what it proves', () => {
  expect(cases.filter(({ proves }) => proves.length === 0)).toEqual([]);
  for (const { section, cases: rows } of CASE_GROUPS) {
    const titles = rows.map(({ title }) => title);
    expect([section, new Set(titles).size]).toEqual([section, titles.length]);
  }
});
