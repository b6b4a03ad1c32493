import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { table } from './table.ts';

test('columns are as wide as their widest cell, and numbers are aligned to the right', () => {
  const rows = [
    ['demo', '7'],
    ['organization', '1000'],
  ];
  expect(table(['name', 'left'], rows, { numbersFrom: 1 })).toBe(
    'NAME          LEFT\ndemo             7\norganization  1000',
  );
});

test('control characters are not printed', () => {
  expect(table(['key', 'state'], [['two\nlines\u001b[2Jand\u009b', 'works']])).toBe(
    'KEY                STATE\ntwo\ufffdlines\ufffd[2Jand\ufffd  works',
  );
});

test('a table may have more rows than a function call may have arguments', () => {
  const rows = Array.from({ length: 200_000 }, () => ['x']);
  expect(table(['a'], rows).length).toBe(2 * rows.length + 1);
});

const WIDE = ['model', 'targets', 'owner'];
const WIDE_ROWS = [['large', 'canary 5%, stable 95%, spare 0%', 'sluice']];

test('a table that is wider than the terminal wraps cells at spaces', () => {
  expect(table(WIDE, WIDE_ROWS, { screen: { columns: 30, colour: false } })).toBe(
    [
      'MODEL  TARGETS          OWNER',
      'large  canary 5%,       sluice',
      '       stable 95%,',
      '       spare 0%',
    ].join('\n'),
  );
});

test('columns that do not fit are named', () => {
  expect(table(WIDE, WIDE_ROWS, { screen: { columns: 18, colour: false } })).toMatch(
    /^MODEL {2}TARGETS\nlarge {2}canary 5%,\n.*\n.*\n\(columns that do not fit: owner; /,
  );
});

test('colours do not change the width of cells', () => {
  const screen = { columns: 80, colour: true };
  const shown = table(['state', 'n'], [['ready', '1']], {
    screen,
    numbersFrom: 1,
    colourOf: () => 'green',
  });
  expect(stripVTControlCharacters(shown)).toBe('STATE  N\nready  1');
  expect(shown).not.toBe(stripVTControlCharacters(shown));
});
