import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { quotedTitles, testTitles } from './quoted-titles.ts';

const QUOTES = 'services/gateway/tests/conformance/proven-elsewhere.ts';

test('titles of tests and of tables of tests are found, and other texts are not', () => {
  const source = `
    describe('a group', () => {
      test('a test', () => {});
      it(
        'a wrapped title that doesn\\'t end early',
        async () => {},
      );
      test.each([1, 2])('a row of %s', () => {});
    });
  `;
  expect([...testTitles(source)]).toEqual([
    'a test',
    "a wrapped title that doesn't end early",
    'a row of %s',
  ]);
});

test('a title without its test, and a file that is missing, are named', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sluice-titles-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const files = {
    [QUOTES]: `export const PROVEN_ELSEWHERE = {
      D1: [
        { file: 'a.test.ts', title: 'is there' },
        { file: 'a.test.ts', title: 'was renamed' },
        { file: 'b.test.ts', title: 'was moved' },
      ],
    };`,
    'a.test.ts': `test('is there', () => {});`,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  expect(await quotedTitles.run(root)).toEqual({
    passed: false,
    report: [
      `${QUOTES}: a.test.ts has no test 'was renamed'`,
      `${QUOTES}: b.test.ts has no test 'was moved'`,
    ].join('\n'),
  });
});
