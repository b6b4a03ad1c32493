import { expect, test } from 'vitest';
import { table } from './table.ts';

test('columns are as wide as their widest cell, and numbers are aligned to the right', () => {
  const rows = [
    ['demo', '7'],
    ['organization', '1 000'],
  ];
  expect(table(['name', 'left'], rows, { numbersFrom: 1 })).toBe(
    'NAME           LEFT\ndemo              7\norganization  1 000',
  );
});

test('what a terminal would obey is not printed', () => {
  expect(table(['key', 'state'], [['two\nlines\u001b[2Jand\u009b', 'works']])).toBe(
    'KEY                STATE\ntwo\ufffdlines\ufffd[2Jand\ufffd  works',
  );
});

test('there may be more rows than a call has arguments', () => {
  const rows = Array.from({ length: 200_000 }, () => ['x']);
  expect(table(['a'], rows).length).toBe(2 * rows.length + 1);
});
