import { relative } from 'node:path';
import * as z from 'zod';
import type { SkippedTest } from './not-run.ts';

export interface Summary {
  passed: number;
  failed: number;
  /** The failures, one line for each. */
  readonly problems: string[];
  readonly skipped: SkippedTest[];
  /** The files with a failure, relative to the root. */
  readonly failedFiles: string[];
}

/** The parts of vitest's report that are used here. */
const TestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** Summarizes a run of the suites. A run without a report, or with a failure outside of its tests, counts as failed. */
export function summarize(
  report: string | undefined,
  { code, root, filters = [] }: { code: number; root: string; filters?: readonly string[] },
): Summary {
  const summary: Summary = { passed: 0, failed: 0, problems: [], skipped: [], failedFiles: [] };
  const fail = (problem: string) => {
    summary.failed += 1;
    summary.problems.push(problem);
  };
  if (report === undefined) {
    fail(`the test runner wrote no report and ended with code ${code}`);
    return summary;
  }
  const { testResults } = TestReport.parse(JSON.parse(report));
  if (testResults.length === 0 && filters.length > 0) {
    fail(`no test matches ${filters.join(' ')}`);
  }
  for (const file of testResults) {
    const path = relative(root, file.name);
    const failedBefore = summary.failed;
    for (const { fullName, status } of file.assertionResults) {
      if (status === 'passed') summary.passed += 1;
      else if (status === 'failed') fail(`${path}: ${fullName}`);
      else summary.skipped.push({ file: path, title: fullName, status });
    }
    if (file.status === 'failed' && summary.failed === failedBefore) {
      fail(`${path}: could not be run`);
    }
    if (summary.failed > failedBefore) summary.failedFiles.push(path);
  }
  if (code !== 0 && summary.failed === 0) fail(`the test runner ended with code ${code}`);
  return summary;
}

/**
 * A run in which nothing passed has failed too. The exception is a run whose tests may be absent, if they recorded why
 * they did not run.
 */
export function exitCodeOf(
  { passed, failed, notRun }: { passed: number; failed: number; notRun: readonly string[] },
  { mayBeAbsent }: { mayBeAbsent: boolean },
): 0 | 1 {
  if (failed > 0) return 1;
  return passed > 0 || (mayBeAbsent && notRun.length > 0) ? 0 : 1;
}
