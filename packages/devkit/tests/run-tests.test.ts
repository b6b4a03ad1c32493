import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { waitUntil } from '../src/runner/wait-until.ts';

const command = join(import.meta.dirname, '../src/run-tests.ts');

/** Without these variables, a test runner that a test starts does not act as a worker of the outer test runner. */
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

test('an unknown option is reported in one line', () => {
  const { status, stderr } = runTests('--bogus');
  expect(stderr).toBe("npm test: Unknown option '--bogus'; see --help\n");
  expect(status).toBe(2);
});

test('help is shown instead of testing', () => {
  const { status, lines } = runTests('--help');
  expect(lines[0]).toMatch(/^Usage: npm test/);
  expect(status).toBe(0);
});

test('the addresses of servers in the environment do not reach a test', () => {
  expect([process.env['REDIS_URL'], process.env['NATS_URL']]).toEqual([undefined, undefined]);
  const { status, lines } = runTests(
    'packages/devkit/tests/use-servers.test.ts',
    'packages/devkit/src/runner/wait-until.test.ts',
  );
  expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed$/);
  expect(status).toBe(0);
});

test('a signal during the check ends it, and no suite starts', async () => {
  const mark = `MARK_OF_THIS_TEST=${randomUUID()}`;
  const [name = '', value] = mark.split('=');
  const child = spawn(process.execPath, [command], {
    env: { ...environment(), [name]: value },
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
  // The processes of other systems cannot be listed here.
  const isLinux = process.platform === 'linux';
  if (isLinux) await waitUntil(() => processesWith(mark).length > 2, { what: 'the tools to run' });
  child.kill('SIGTERM');
  expect(await ended).toBe(143);
  expect(await errors).toBe('npm test: stopped by SIGTERM\n');
  expect(said).not.toContain('Testing:');
  if (isLinux) {
    await waitUntil(() => processesWith(mark).length === 0, { what: 'the tools to end' });
  }
});

/** The processes that inherited a variable, as NAME=VALUE. */
function processesWith(variable: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(variable);
    } catch {
      // The entry is not a process, or the process has ended or belongs to another user.
      return false;
    }
  });
}

test('an unknown suite is refused', () => {
  const { status, stderr } = runTests('--suite', 'everything');
  expect(stderr).toBe('--suite must be one of all, faults, versions, llama, not everything\n');
  expect(status).toBe(2);
});
