import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod';

/**
 * The environment variable with the path of the file in which suites record why they did not run. `npm test` sets it.
 */
export const NOT_RUN_FILE = 'SLUICE_NOT_RUN_FILE';

const NotRun = z.object({
  suite: z.string(),
  reason: z.string(),
  /** The test file of the suite. */
  file: z.string(),
});
export type NotRun = z.infer<typeof NotRun>;

export interface SkippedTest {
  /** The path relative to the repository. */
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

const root = join(import.meta.dirname, '../../../..');

/**
 * Records that a suite cannot run here and why, so that the reason is shown at the end of the run:
 * `describe.skipIf(cannotRun('browser clients', chromiumMissing()))`. Without a reason the suite runs.
 */
export function cannotRun(suite: string, reason: string | undefined): boolean {
  if (reason === undefined) return false;
  const recordFile = process.env[NOT_RUN_FILE];
  const entry: NotRun = { suite, reason, file: callingTestFile() };
  if (recordFile === undefined) console.warn(notRunLine(entry));
  else appendFileSync(recordFile, `${JSON.stringify(entry)}\n`);
  return true;
}

export function parseNotRun(text: string): NotRun[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => NotRun.parse(JSON.parse(line)));
}

/**
 * One line for each suite that gave a reason, with the number of tests that were skipped in its file. One line for each
 * skipped test without a reason.
 */
export function explainNotRun(
  skipped: readonly SkippedTest[],
  explained: readonly NotRun[],
): string[] {
  const files = new Set(explained.map(({ file }) => file));
  const lines = explained.map((entry) => {
    const count = skipped.filter(({ file }) => file === entry.file).length;
    return `${notRunLine(entry)} (${count} ${count === 1 ? 'test' : 'tests'} of ${entry.file})`;
  });
  const unexplained = skipped.filter(({ file }) => !files.has(file));
  return [
    ...lines,
    ...unexplained.map(
      ({ file, title, status }) => `NOT RUN: ${file}: ${title}: marked as ${status}`,
    ),
  ];
}

function notRunLine({ suite, reason }: NotRun): string {
  return `NOT RUN: ${suite}: ${reason}`;
}

/** The first test file in the stack trace. */
function callingTestFile(): string {
  const path = /(?:file:\/\/)?(\/[^():]*\.test\.ts)/.exec(new Error().stack ?? '')?.[1];
  return path === undefined ? 'unknown file' : relative(root, path);
}
