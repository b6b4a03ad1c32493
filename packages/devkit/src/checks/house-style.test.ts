import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkFileStyle, houseStyle } from './house-style.ts';

const path = 'services/gateway/src/route.ts';
const testPath = 'services/gateway/src/route.test.ts';
const besideTests = 'services/gateway/tests/gateway-with-neighbours.ts';

// Joined here, so that this file does not break the rules it tests.
const join = (...parts: string[]): string => parts.join('');

test.each([
  ['a star export', path, join('export ', "* from './x.ts';")],
  ['a star export of types', path, join('export type ', "* from './x.ts';")],
  ['a focused test', testPath, join('test.', "only('x', () => {});")],
  ['a skipped suite', testPath, join('describe.', "skip('x', () => {});")],
  ['a test that waits to be written', testPath, join('test.', "todo('x');")],
  ['a sleep in a test', testPath, join("import { setTimeout } from 'node:timers", "/promises';")],
  [
    'a sleep beside tests',
    besideTests,
    join("import { setTimeout } from 'node:timers", "/promises';"),
  ],
  [
    'a promised timeout',
    testPath,
    join('await new Promise((resolve) => set', 'Timeout(resolve, 50));'),
  ],
  ['a typed one', besideTests, join('await new Promise<void>((r) => set', 'Timeout(r, 50));')],
  ['a timeout that resolves', testPath, join('  set', 'Timeout(resolve, 50);')],
  ['one that calls it', testPath, join('  set', 'Timeout(() => resolve(), 50);')],
  ['a promisified timeout', testPath, join('const sleep = promisify(set', 'Timeout);')],
  ['a note to self', path, join('// TO', 'DO: later')],
  ['a silenced rule without a reason', path, join('// oxlint', '-disable-next-line no-console')],
])('%s is found', (_what, where, line) => {
  expect(checkFileStyle(where, `const a = 1;\n${line}\n`)).toEqual([
    expect.stringContaining(`${where}:2: `),
  ]);
});

test.each([
  ['a named export', path, "export { a } from './x.ts';"],
  ['a multiplication', path, 'export const area = width * height;'],
  [
    'a limit in a test',
    testPath,
    join('const timer = set', 'Timeout(() => socket.destroy(), 500);'),
  ],
  ['an ordinary test', testPath, "test('only one', () => {});"],
  ['a condition on the machine', testPath, "test.skipIf(!docker)('x', () => {});"],
  [
    'a sleep outside of tests',
    path,
    join("import { setTimeout } from 'node:timers", "/promises';"),
  ],
  ['a silenced rule with its reason', path, '// oxlint-disable-next-line no-console -- a table'],
])('%s is fine', (_what, where, line) => {
  expect(checkFileStyle(where, `${line}\n`)).toEqual([]);
});

test('a main.ts of 25 lines is accepted, and one of 26 lines is too long', () => {
  const main = 'services/gateway/src/main.ts';

  expect(checkFileStyle(main, 'start();\n'.repeat(25))).toEqual([]);
  expect(checkFileStyle(main, 'start();\n'.repeat(26))).toEqual([
    `${main}: 26 lines; a main.ts has at most 25`,
  ]);
});

test.each(['services/quota/src/utils/time.ts', 'services/quota/src/helpers.ts'])(
  'the name of %s is refused as vague',
  (vague) => {
    expect(checkFileStyle(vague, '')).toHaveLength(1);
  },
);

test.each([
  '.ci/run',
  'deploy/Dockerfile',
  'deploy/helm/sluice/templates/_pod.tpl',
  'packages/bench/src/load/unpack.sh',
  'services/quota/README.md',
])('a note to self in %s is found', async (file) => {
  const root = await mkdtemp(resolve(tmpdir(), 'sluice-style-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(dirname(resolve(root, file)), { recursive: true });
  await writeFile(resolve(root, file), join('# FIX', 'ME\n'));

  const outcome = await houseStyle.run(root);
  expect(outcome.passed ? '' : outcome.report).toContain(`${file}:1: `);
});
