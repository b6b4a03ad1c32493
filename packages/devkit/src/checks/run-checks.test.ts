import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Check } from './check.ts';
import { runChecks } from './run-checks.ts';

const passing: Check = { name: 'format', run: async () => ({ passed: true }) };
const failing: Check = {
  name: 'types',
  run: async () => ({ passed: false, report: 'a.ts:1: wrong\nb.ts:2: wrong' }),
};
const throwing: Check = {
  name: 'lint',
  run: async () => {
    throw new Error('no such program');
  },
};

async function runQuietly(checks: Check[]): Promise<{ passed: boolean; output: string }> {
  const lines: string[] = [];
  const passed = await runChecks(checks, {
    root: '.',
    concurrency: 2,
    print: (line) => lines.push(stripVTControlCharacters(line)),
  });
  return { passed, output: lines.join('\n') };
}

test('all passed', async () => {
  const { passed, output } = await runQuietly([passing, passing, passing]);

  expect(passed).toBe(true);
  expect(output).toMatch(/^All 3 checks passed in \d+\.\d s\.$/m);
});

test('one failing check fails the run, and its report and its name are at the end', async () => {
  const { passed, output } = await runQuietly([passing, failing, passing]);

  expect(passed).toBe(false);
  expect(output).toContain('    a.ts:1: wrong\n    b.ts:2: wrong');
  expect(output).toMatch(/^2 of 3 checks passed in \d+\.\d s\. Failed: types\.$/m);
});

test('a check that cannot run counts as failed, and the others still run', async () => {
  const { passed, output } = await runQuietly([throwing, passing]);

  expect(passed).toBe(false);
  expect(output).toContain('no such program');
  expect(output).toContain('✓ format');
});

test('no more checks run at once than requested', async () => {
  let running = 0;
  let most = 0;
  const counted: Check = {
    name: 'counted',
    run: async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return { passed: true };
    },
  };

  await runQuietly([counted, counted, counted, counted, counted]);

  expect(most).toBe(2);
});
