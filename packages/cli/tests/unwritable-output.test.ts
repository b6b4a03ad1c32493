import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { commands } from '../src/commands/index.ts';

const main = join(import.meta.dirname, '../src/main.ts');

let file = '';

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-output-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  file = join(folder, 'output');
  await using _made = await open(file, 'w');
});

/** Runs `--help` with a file or a device as standard output, opened as a shell would. */
async function help(path: string, flags: 'r' | 'w') {
  await using output = await open(path, flags);
  const { status, stderr } = spawnSync(process.execPath, [main, '--help'], {
    stdio: ['ignore', output.fd, 'pipe'],
    encoding: 'utf8',
  });
  return { code: status, stderr };
}

test('output can be written to a file', async () => {
  expect(await help(file, 'w')).toEqual({ code: 0, stderr: '' });
  const printed = await readFile(file, 'utf8');
  expect(printed.split('\n').length).toBeGreaterThan(commands.length);
  expect(printed).toMatch(/show the version\n$/);
});

test.each([
  ['a file', () => file],
  ['a device', () => '/dev/null'],
])('a command whose output cannot be written to %s reports that and fails', async (_what, path) => {
  expect(await help(path(), 'r')).toEqual({
    code: 1,
    stderr: 'sluice: the output cannot be written (EBADF)\n',
  });
});

test('if the reader of a pipe closes it early, that is no error', async () => {
  const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  child.stdout.destroy();
  expect(await text(child.stderr)).toBe('');
  expect(await exited).toEqual([0, null]);
});
