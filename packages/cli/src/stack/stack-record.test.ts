import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runningStack } from './running-stack-fixture.ts';
import { readRunningStack } from './running-stack.ts';
import { StackRecord } from './stack-record.ts';
import { stateFolderAt, type StateFolder } from './state-folder.ts';

let folder: StateFolder;

beforeEach(async () => {
  folder = stateFolderAt(await mkdtemp(join(tmpdir(), 'sluice-record-')));
});
afterEach(async () => {
  await rm(folder.path, { recursive: true, force: true });
});

/** A record whose base address is the number of times that the stack was described. */
function recordOfChanges() {
  const said: string[] = [];
  let described = 0;
  const record = new StackRecord({
    folder,
    describe: () => runningStack({ base_url: String((described += 1)) }),
    progress: {
      say: (line) => said.push(line),
      starting: () => undefined,
      ready: () => undefined,
      died: () => undefined,
      [Symbol.dispose]: () => undefined,
    },
  });
  return { record, said, described: () => described };
}

test('after many changes, the file has the last one', async () => {
  const { record } = recordOfChanges();
  for (let change = 1; change <= 5; change += 1) record.update();
  await expect.poll(async () => (await readRunningStack(folder.runningFile))?.base_url).toBe('5');
  await record.remove();
});

test('after the stack has stopped, the file is removed, even if changes follow', async () => {
  const { record, described } = recordOfChanges();
  record.update();
  await expect.poll(() => readdir(folder.path)).toEqual(['running.json']);
  record.update();
  await record.remove();
  expect(await readdir(folder.path)).toEqual([]);
  const before = described();
  record.update();
  await Promise.resolve();
  expect(described()).toBe(before);
});

test('a removed folder is reported, and the stack keeps running', async () => {
  const { record, said } = recordOfChanges();
  await rm(folder.path, { recursive: true });
  record.update();
  await expect.poll(() => said).toEqual([`cannot write to ${folder.path} (ENOENT)`]);
  await expect(record.remove()).resolves.toBeUndefined();
});
