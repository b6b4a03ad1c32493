import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod';

/** Names the file in which suites say that they did not run; set by the command that runs them all. */
export const NOT_RUN_FILE = 'SLUICE_NOT_RUN_FILE';

const NotRun = z.object({
  suite: z.string(),
  reason: z.string(),
  /** The test file that says so. */
  file: z.string(),
});
export type NotRun = z.infer<typeof NotRun>;

export interface SkippedTest {
  /** Relative to the repository. */
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

const root = join(import.meta.dirname, '../../..');

/**
 * Says that a suite cannot run here and why, so that its absence is seen at the end of the run:
 * `describe.skipIf(cannotRun('browser clients', chromiumMissing()))`. Without a reason the suite runs.
 */
export function cannotRun(suite: string, reason: string | undefined): boolean {
  if (reason === undefined) return false;
  const collection = process.env[NOT_RUN_FILE];
  const entry: NotRun = { suite, reason, file: callingTestFile() };
  if (collection === undefined) console.warn(notRunLine(entry));
  else appendFileSync(collection, `${JSON.stringify(entry)}\n`);
  return true;
}

export function parseNotRun(text: string): NotRun[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => NotRun.parse(JSON.parse(line)));
}

/** A line for each suite that said why, with how much its file left out, and for each test that did not. */
export function explainNotRun(
  skipped: readonly SkippedTest[],
  explained: readonly NotRun[],
): string[] {
  const files = new Set(explained.map(({ file }) => file));
  const lines = explained.map((entry) => {
    const count = skipped.filter(({ file }) => file === entry.file).length;
    return `${notRunLine(entry)} (${count} ${count === 1 ? 'test' : 'tests'} of ${entry.file})`;
  });
  const silent = skipped.filter(({ file }) => !files.has(file));
  return [
    ...lines,
    ...silent.map(({ file, title, status }) => `NOT RUN: ${file}: ${title}: marked as ${status}`),
  ];
}

function notRunLine({ suite, reason }: NotRun): string {
  return `NOT RUN: ${suite}: ${reason}`;
}

function callingTestFile(): string {
  const path = /(?:file:\/\/)?(\/[^():]*\.test\.ts)/.exec(new Error().stack ?? '')?.[1];
  return path === undefined ? 'unknown file' : relative(root, path);
}
