import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compareFolders, generatedDrift } from './generated-drift.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-drift-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

test('equal folders have no differences', async () => {
  await write('fresh/quota/v1/quota.ts', 'a');
  await write('committed/quota/v1/quota.ts', 'a');

  expect(await compareFolders(join(root, 'fresh'), join(root, 'committed'))).toEqual([]);
});

test('a changed, a missing and a left-over file are each named', async () => {
  await write('fresh/changed.ts', 'new');
  await write('fresh/missing.ts', 'new');
  await write('committed/changed.ts', 'old');
  await write('committed/nested/left-over.ts', 'old');

  expect(await compareFolders(join(root, 'fresh'), join(root, 'committed'))).toEqual([
    'changed.ts differs from what is generated',
    'missing.ts is missing',
    'nested/left-over.ts is no longer generated',
  ]);
});

// A generator that writes one file, as the real one is called.
const generator = `
  import { writeFileSync } from 'node:fs';
  writeFileSync(process.argv[process.argv.indexOf('--out') + 1] + '/quota.ts', 'generated');
`;

test('the check passes when the committed files are what the generator writes', async () => {
  await write('packages/rpc/src/generate.ts', generator);
  await write('packages/rpc/src/generated/quota.ts', 'generated');

  expect(await generatedDrift.run(root)).toEqual({ passed: true });
});

test('the check fails when a committed file was edited by hand', async () => {
  await write('packages/rpc/src/generate.ts', generator);
  await write('packages/rpc/src/generated/quota.ts', 'edited');

  expect(await generatedDrift.run(root)).toEqual({
    passed: false,
    report: 'packages/rpc/src/generated/quota.ts differs from what is generated; npm run generate',
  });
});

test('the check fails when the generator does', async () => {
  await write('packages/rpc/src/generate.ts', "throw new Error('the contract is broken');");

  expect(await generatedDrift.run(root)).toEqual({
    passed: false,
    report: expect.stringContaining('the contract is broken') as string,
  });
});
