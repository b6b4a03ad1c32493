import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { checkStateFolder, emptyStateFolder } from './state-folder.ts';

let parent = '';
let path = '';

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sluice-state-'));
  path = join(parent, 'state');
});

afterEach(async () => {
  await rm(parent, { recursive: true });
});

const check = async (fresh = false) => checkStateFolder(path, { fresh });

test('a missing folder is created, for its owner only, and is recognized later', async () => {
  await check();
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect(await readdir(path)).toEqual(['sluice.json']);
  await expect(check()).resolves.toBeUndefined();
});

test('a folder with unrelated files is not changed, even with --fresh', async () => {
  await check();
  await rm(join(path, 'sluice.json'));
  await writeFile(join(path, 'thesis.txt'), 'years of work');
  await expect(check()).rejects.toThrow('is not a state folder of sluice');
  await expect(check(true)).rejects.toThrow(UsageError);
  expect(await readdir(path)).toEqual(['thesis.txt']);
});

test('a file in its place is refused', async () => {
  await writeFile(path, '');
  await expect(check()).rejects.toThrow(`the state folder ${path} is a file`);
});

test('a damaged folder is refused with advice, and accepted with --fresh', async () => {
  await check();
  await writeFile(join(path, 'sluice.json'), '{"version":');
  await expect(check()).rejects.toThrow(/is damaged: its sluice\.json cannot be read; .*--fresh/);
  await expect(check(true)).resolves.toBeUndefined();
  await emptyStateFolder(path);
  await expect(check()).resolves.toBeUndefined();
});

test('a folder of a newer version is refused', async () => {
  await check();
  await writeFile(join(path, 'sluice.json'), '{"version":2}');
  await expect(check()).rejects.toThrow('newer version');
});

test('emptying a folder keeps its lock and its logs', async () => {
  await check();
  await writeFile(join(path, 'up.lock'), '{}');
  await writeFile(join(path, 'admin-token'), 'secret');
  for (const part of ['logs', 'redis']) {
    await mkdir(join(path, part));
    await writeFile(join(path, part, 'kept'), '');
  }
  await emptyStateFolder(path);
  expect((await readdir(path)).toSorted()).toEqual(['logs', 'sluice.json', 'up.lock']);
  expect(await readdir(join(path, 'logs'))).toEqual(['kept']);
});
