import { styleText } from 'node:util';
import type { Check, CheckOutcome } from './check.ts';

export interface RunOptions {
  readonly root: string;
  /** How many checks run at a time. */
  readonly concurrency: number;
  readonly print: (line: string) => void;
}

/** Runs every check, a few at a time. Returns whether all of them passed. */
export async function runChecks(checks: readonly Check[], options: RunOptions): Promise<boolean> {
  const waiting = [...checks];
  const failed: string[] = [];
  const started = performance.now();

  async function runWaiting(): Promise<void> {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      if (!(await runOne(check, options))) failed.push(check.name);
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, runWaiting));

  const time = formatSeconds(performance.now() - started);
  const passedCount = checks.length - failed.length;
  options.print(
    failed.length === 0
      ? `All ${checks.length} checks passed in ${time}.`
      : `${passedCount} of ${checks.length} checks passed in ${time}. Failed: ${failed.join(', ')}.`,
  );
  return failed.length === 0;
}

async function runOne(check: Check, { root, print }: RunOptions): Promise<boolean> {
  const started = performance.now();
  const outcome = await run(check, root);
  const time = formatSeconds(performance.now() - started);
  if (outcome.passed) {
    const details = outcome.summary === undefined ? time : `${time}, ${outcome.summary}`;
    print(`${styleText('green', '✓')} ${check.name} (${details})`);
  } else {
    print(`${styleText('red', '✗')} ${check.name} (${time})\n${indent(outcome.report)}`);
  }
  return outcome.passed;
}

async function run(check: Check, root: string): Promise<CheckOutcome> {
  try {
    return await check.run(root);
  } catch (error) {
    const report = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { passed: false, report: `The check itself failed: ${report}` };
  }
}

const indent = (report: string): string => report.replaceAll(/^(?=.)/gm, '    ');
const formatSeconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
