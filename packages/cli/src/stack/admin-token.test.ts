import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { adminToken } from './admin-token.ts';
import { stateFolderAt, type StateFolder } from './state-folder.ts';

let folder: StateFolder;

beforeEach(async () => {
  folder = stateFolderAt(await mkdtemp(join(tmpdir(), 'sluice-token-')));
});

afterEach(async () => {
  await rm(folder.path, { recursive: true });
});

test('a token is created once, and only its owner can read it', async () => {
  const token = await adminToken(folder);
  expect(token).toMatch(/^[0-9A-Za-z]{43}$/);
  expect(await adminToken(folder)).toBe(token);
  expect(await readFile(folder.adminTokenFile, 'utf8')).toBe(`${token}\n`);
  expect((await stat(folder.adminTokenFile)).mode & 0o777).toBe(0o600);
});

test('another folder has another token', async () => {
  const token = await adminToken(folder);
  await rm(folder.adminTokenFile);
  expect(await adminToken(folder)).not.toBe(token);
});

test.each(['', 'short\n', 'two words that are long enough to be one\n'])(
  'a file that holds %j is damaged',
  async (content) => {
    await writeFile(folder.adminTokenFile, content);
    await expect(adminToken(folder)).rejects.toThrow('its admin-token holds no token');
  },
);
