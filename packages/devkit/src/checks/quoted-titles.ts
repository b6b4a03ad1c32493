import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { type Check, outcomeOf } from './check.ts';

/** The file that quotes tests of other files by their titles. It imports only types, so it loads fast. */
const QUOTES = 'services/gateway/tests/conformance/proven-elsewhere.ts';

const Quotes = z.object({
  PROVEN_ELSEWHERE: z.record(
    z.string(),
    z.array(z.object({ file: z.string(), title: z.string() })),
  ),
});

/** The titles of the tests in a source file: the texts in `it('…'`, `test('…'` and `test.each([…])('…'`. */
export function testTitles(source: string): Set<string> {
  const titles = source.matchAll(/(?:\b(?:it|test)|\))\(\s*'((?:[^'\\\n]|\\.)*)'/g);
  return new Set(Array.from(titles, ([, title = '']) => title.replaceAll(/\\(.)/g, '$1')));
}

/** Checks that quoted tests exist. If a test is renamed or moved, the quotation must be changed too. */
export const quotedTitles: Check = {
  name: 'quoted test titles',
  run: async (root) => {
    const module: unknown = await import(pathToFileURL(join(root, QUOTES)).href);
    const quotes = Object.values(Quotes.parse(module).PROVEN_ELSEWHERE).flat();
    const titles = new Map<string, Set<string>>();
    for (const file of new Set(quotes.map((quote) => quote.file))) {
      const source = await readFile(join(root, file), 'utf8').catch(() => '');
      titles.set(file, testTitles(source));
    }
    const findings = quotes
      .filter(({ file, title }) => titles.get(file)?.has(title) !== true)
      .map(({ file, title }) => `${QUOTES}: ${file} has no test '${title}'`);
    return outcomeOf(findings, `${quotes.length} titles`);
  },
};
