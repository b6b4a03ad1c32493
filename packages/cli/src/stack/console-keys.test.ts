import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { consoleKeys } from './console-keys.ts';
import { stateFolderAt } from './state-folder.ts';

let path = '';

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'sluice-keys-'));
});
afterAll(() => rm(path, { recursive: true, force: true }));

test('the keys stay the same from start to start, and only their owner can read them', async () => {
  const folder = stateFolderAt(path);
  const first = await consoleKeys(folder);
  expect(await consoleKeys(folder)).toEqual(first);
  expect(first.publicKeys).toMatch(/^sluice:[\w-]{43}$/);
  expect(first.publicKeys).not.toBe(first.assertionKey);
  expect((await stat(folder.consoleKeysFile)).mode & 0o077).toBe(0);
});

test('a damaged file is named', async () => {
  const folder = stateFolderAt(path);
  await writeFile(folder.consoleKeysFile, '{}');
  const refused = consoleKeys(folder);
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow('console-keys.json');
});
