import { expect, it } from 'vitest';
import { arrayText, copyText } from './copy-text.ts';

it('a row of COPY has its values between tabs, and escapes what would end them', () => {
  const rows = [
    ['plain', 12, true, null],
    ['tab\there', -1, false, 'back\\slash\r\n'],
    [String.raw`\N`, 0, true, ''],
  ];
  expect(copyText(rows)).toBe(
    [
      String.raw`plain	12	t	\N`,
      String.raw`tab\there	-1	f	back\\slash\r\n`,
      String.raw`\\N	0	t	`,
      '',
    ].join('\n'),
  );
});

it('an array has its texts in quotes', () => {
  expect(arrayText(['a', 'with "quotes"', 'a\\b', '', 'NULL', 'a,b'])).toBe(
    String.raw`{"a","with \"quotes\"","a\\b","","NULL","a,b"}`,
  );
  expect(arrayText([1, 2n ** 70n])).toBe('{1,1180591620717411303424}');
  expect(arrayText([])).toBe('{}');
});
