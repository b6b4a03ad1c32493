import { appendFileSync } from 'node:fs';
import * as z from 'zod';

/** Names the file in which suites say that they did not run; set by the command that runs them all. */
export const NOT_RUN_FILE = 'SLUICE_NOT_RUN_FILE';

const NotRun = z.object({ suite: z.string(), reason: z.string() });
export type NotRun = z.infer<typeof NotRun>;

/**
 * Says that a suite cannot run here and why, so that its absence is seen at the end of the run:
 * `describe.skipIf(cannotRun('browser clients', chromiumMissing()))`. Without a reason the suite runs.
 */
export function cannotRun(suite: string, reason: string | undefined): boolean {
  if (reason === undefined) return false;
  const file = process.env[NOT_RUN_FILE];
  if (file === undefined) console.warn(notRunLine({ suite, reason }));
  else appendFileSync(file, `${JSON.stringify({ suite, reason })}\n`);
  return true;
}

export function parseNotRun(text: string): NotRun[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => NotRun.parse(JSON.parse(line)));
}

export function notRunLine({ suite, reason }: NotRun): string {
  return `NOT RUN: ${suite}: ${reason}`;
}
