import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LogTail } from './follow-files.ts';

test('each line is read once, also after the file was replaced or emptied', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-tail-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const path = join(folder, 'worker.log');
  const tail = new LogTail({ name: 'worker', path });
  expect(await tail.lines()).toEqual([]);
  await writeFile(path, 'one\ntw');
  expect(await tail.lines()).toEqual(['one']);
  await appendFile(path, 'o\n');
  expect(await tail.lines()).toEqual(['two']);
  await rename(path, `${path}.1`);
  await writeFile(path, 'a line that is longer than all before\n');
  expect(await tail.lines()).toEqual(['a line that is longer than all before']);
  await writeFile(path, 'cut\n');
  expect(await tail.lines()).toEqual(['cut']);
});
