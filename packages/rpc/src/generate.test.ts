import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-generate-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function generate(out: string): Promise<void> {
  const program = join(import.meta.dirname, 'generate.ts');
  await promisify(execFile)(process.execPath, [program, '--out', out]);
}

it('writes the types into a folder whose parents are not there yet', async () => {
  await generate(join(folder, 'a/b/types'));
  expect(await readdir(join(folder, 'a/b'))).toEqual(['types']);
  expect(await readdir(join(folder, 'a/b/types'))).toContain('catalog.ts');
});

it('removes only files of interrupted runs', async () => {
  for (const name of ['types', 'types.new-Ab3xYz', 'types.new-release', 'others.new-Ab3xYz']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'catalog.ts'), 'old');
  }
  await generate(join(folder, 'types'));
  expect((await readdir(folder)).toSorted()).toEqual([
    'others.new-Ab3xYz',
    'types',
    'types.new-release',
  ]);
  expect(await readFile(join(folder, 'types/catalog.ts'), 'utf8')).not.toBe('old');
});

it('replaces no folder that holds anything else', async () => {
  await writeFile(join(folder, 'mine'), 'mine');
  await expect(generate(folder)).rejects.toMatchObject({ code: 2 });
  expect(await readdir(folder)).toEqual(['mine']);
});
