import { expect, test } from 'vitest';
import { patternWriter, UnwritablePattern } from './pattern-text.ts';
import { SeededRandom } from './random.ts';

test.each([
  String.raw`^[A-Z]{2}\d{4}$`,
  String.raw`^\d{3}-\d{2,4}$`,
  String.raw`^(red|green|blue)$`,
  String.raw`^[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}$`,
  String.raw`^(?:\+\d{1,3} )?\d{6,}$`,
  String.raw`^(?<year>\d{4})-(0[1-9]|1[0-2])$`,
  String.raw`^[^"\\]+$`,
  String.raw`\S+ \w*`,
  String.raw`^\x41\u00e9[\t\]-]?$`,
  String.raw`^.{5}$`,
  String.raw`^a??b*?c+?$`,
  String.raw`^[\w-]{4}[-a]$`,
  String.raw`^\$\{[A-F\d]{2}\}$`,
  '',
])('text written for /%s/ matches it', (source) => {
  const write = patternWriter(source);
  const random = new SeededRandom(11);
  for (let turn = 0; turn < 100; turn += 1) {
    expect(write(random)).toMatch(new RegExp(source, 'u'));
  }
});

test.each(['(?=x)', '(?<!x)', '(a)\\1', '(', 'a)', '[^\\d\\D]*[', '\\p{L}', '\\u12', '[]', 'a\\'])(
  'a pattern without a supported syntax is refused: /%s/',
  (source) => {
    expect(() => patternWriter(source)).toThrow(UnwritablePattern);
  },
);
