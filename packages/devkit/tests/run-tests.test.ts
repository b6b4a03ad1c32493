import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { waitUntil } from '../src/index.ts';

const command = join(import.meta.dirname, '../src/run-tests.ts');

/** A test runner within a test runner must not take itself for a worker of the outer one. */
function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  return { ...Object.fromEntries(inherited), NO_COLOR: '1' };
}

function runTests(...parameters: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...parameters], {
    encoding: 'utf8',
    env: { ...environment(), REDIS_URL: 'redis://127.0.0.1:9', NATS_URL: 'nats://127.0.0.1:9' },
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
  expect(lines.at(-1)).toBe('0 passed, 1 failed');
  expect(lines.at(-2)).toMatch(/^FAILED: no test matches .*there-is-no-such\.test\.ts$/);
  expect(status).toBe(1);
});

test('an option that there is not is said in one line', () => {
  const { status, stderr } = runTests('--bogus');
  expect(stderr).toBe("npm test: Unknown option '--bogus'; see --help\n");
  expect(status).toBe(2);
});

test('help is shown instead of testing', () => {
  const { status, lines } = runTests('--help');
  expect(lines[0]).toMatch(/^Usage: npm test/);
  expect(status).toBe(0);
});

test('the addresses of servers that somebody uses do not reach a test', () => {
  expect([process.env['REDIS_URL'], process.env['NATS_URL']]).toEqual([undefined, undefined]);
  const { status, lines } = runTests(
    'packages/testkit/tests/use-servers.test.ts',
    'packages/testkit/src/wait-until.test.ts',
  );
  expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed$/);
  expect(status).toBe(0);
});

test('a signal during the check ends it, and no suite starts', async () => {
  const child = spawn(process.execPath, [command], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    said += more;
  });
  const errors = text(child.stderr);
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  await waitUntil(() => said.includes('Checking:'), { what: 'the check to begin' });
  child.kill('SIGTERM');
  expect(await ended).toBe(143);
  expect(await errors).toBe('npm test: stopped by SIGTERM\n');
  expect(said).not.toContain('Testing:');
});

test('an unknown suite is refused', () => {
  const { status, stderr } = runTests('--suite', 'everything');
  expect(stderr).toBe('--suite must be one of all, faults, llama, not everything\n');
  expect(status).toBe(2);
});
