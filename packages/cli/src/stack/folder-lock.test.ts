import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { lockFolder } from './folder-lock.ts';

let folder = '';
let lockFile = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-lock-'));
  lockFile = join(folder, 'up.lock');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

test('a second process learns which process has the lock', async () => {
  await using _lock = await lockFolder(lockFile);
  const second = lockFolder(lockFile);
  await expect(second).rejects.toThrow(UsageError);
  await expect(second).rejects.toThrow(`already running from ${folder} (process ${process.pid})`);
});

test('a released lock can be taken again, and leaves no file', async () => {
  const lock = await lockFolder(lockFile);
  await lock[Symbol.asyncDispose]();
  expect(await readdir(folder)).toEqual([]);
  await using _again = await lockFolder(lockFile);
  expect(await readdir(folder)).toEqual(['up.lock']);
});

test.each([
  ['of a process that has ended', JSON.stringify({ pid: process.pid, started: 'long ago' })],
  ['that was written by half', '{"pid":'],
])('a lock %s is taken over', async (_what, content) => {
  await writeFile(lockFile, content);
  await using _lock = await lockFolder(lockFile);
  expect(JSON.parse(await readFile(lockFile, 'utf8'))).toMatchObject({ pid: process.pid });
  expect(await readdir(folder)).toEqual(['up.lock']);
});
