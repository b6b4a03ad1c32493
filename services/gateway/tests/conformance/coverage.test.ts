import { readFile } from 'node:fs/promises';
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

test.each(Object.values(PROVEN_ELSEWHERE).flat())(
  'there is a test in $file that is called: $title',
  async ({ file, title }) => {
    const source = await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8');
    // The title is that of a test, or of its rows: `it('…'`, or `])('…'`.
    expect(source.split(/(?:\b(?:it|test)|\))\(\s*'/).map((part) => part.split("',")[0])).toContain(
      title,
    );
  },
);

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
