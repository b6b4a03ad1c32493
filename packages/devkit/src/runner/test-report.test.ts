import { expect, test } from 'vitest';
import { exitCodeOf, summarize } from './test-report.ts';

const root = '/project';

function reportOf(
  ...files: { name: string; status: string; tests: [title: string, status: string][] }[]
): string {
  return JSON.stringify({
    testResults: files.map(({ name, status, tests }) => ({
      name: `${root}/${name}`,
      status,
      assertionResults: tests.map(([fullName, result]) => ({ fullName, status: result })),
    })),
  });
}

test('counts what passed and names what failed', () => {
  const report = reportOf(
    {
      name: 'a.test.ts',
      status: 'passed',
      tests: [
        ['one', 'passed'],
        ['two', 'passed'],
      ],
    },
    {
      name: 'b.test.ts',
      status: 'failed',
      tests: [
        ['three', 'passed'],
        ['four', 'failed'],
      ],
    },
  );
  expect(summarize(report, { code: 1, root })).toEqual({
    passed: 3,
    failed: 1,
    problems: ['b.test.ts: four'],
    skipped: [],
    failedFiles: ['b.test.ts'],
  });
});

test('a filter that no test matches is named', () => {
  expect(summarize(reportOf(), { code: 1, root, filters: ['no', 'such'] })).toMatchObject({
    failed: 1,
    problems: ['no test matches no such'],
  });
});

test('a file that could not be loaded is a failure', () => {
  const report = reportOf({ name: 'a.test.ts', status: 'failed', tests: [] });
  expect(summarize(report, { code: 1, root })).toMatchObject({
    failed: 1,
    problems: ['a.test.ts: could not be run'],
  });
});

test('an error outside every test is a failure', () => {
  const report = reportOf({ name: 'a.test.ts', status: 'passed', tests: [['one', 'passed']] });
  expect(summarize(report, { code: 1, root })).toMatchObject({ passed: 1, failed: 1 });
});

test('a run without a report is a failure', () => {
  expect(summarize(undefined, { code: 0, root })).toMatchObject({ passed: 0, failed: 1 });
});

test('tests that did not run are named', () => {
  const report = reportOf({ name: 'a.test.ts', status: 'passed', tests: [['one', 'pending']] });
  expect(summarize(report, { code: 0, root }).skipped).toEqual([
    { file: 'a.test.ts', title: 'one', status: 'pending' },
  ]);
});

test.each([
  ['some passed', { passed: 1, failed: 0, notRun: [] }, false, 0],
  ['one failed', { passed: 1, failed: 1, notRun: [] }, true, 1],
  ['nothing ran', { passed: 0, failed: 0, notRun: [] }, true, 1],
  ['nothing ran, and it says why', { passed: 0, failed: 0, notRun: ['NOT RUN: …'] }, false, 1],
  ['nothing had to run, and it says why', { passed: 0, failed: 0, notRun: ['NOT RUN'] }, true, 0],
])('%s: exit code', (_, summary, mayBeAbsent, code) => {
  expect(exitCodeOf(summary, { mayBeAbsent })).toBe(code);
});
