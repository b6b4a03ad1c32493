import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const command = join(import.meta.dirname, '../src/run-tests.ts');

function runTests(...parameters: string[]) {
  // A test runner within a test runner must not take itself for a worker of the outer one.
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...parameters], {
    encoding: 'utf8',
    env: { ...Object.fromEntries(environment), NO_COLOR: '1' },
  });
  return { status, stderr, lines: stdout.trimEnd().split('\n') };
}

test('the last line says how many passed and failed', () => {
  const { status, lines } = runTests('packages/testkit/src/wait-until.test.ts');
  expect(lines.at(-1)).toBe('3 passed, 0 failed');
  expect(status).toBe(0);
});

test('a run without tests is a failure', () => {
  const { status, lines } = runTests('packages/testkit/src/there-is-no-such.test.ts');
  expect(lines.at(-1)).toMatch(/^0 passed, [01] failed$/);
  expect(status).toBe(1);
});

test('an unknown suite is refused', () => {
  const { status, stderr } = runTests('--suite', 'everything');
  expect(stderr).toBe('--suite must be one of all, faults, not everything\n');
  expect(status).toBe(2);
});
