import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CommandFailure } from '../command.ts';
import { stopLeftovers } from './leftovers.ts';
import { runningStack } from './running-stack-fixture.ts';
import { readRunningStack, writeRunningStack } from './running-stack.ts';

let folder = '';
let file = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-running-'));
  file = join(folder, 'running.json');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

test('a written record is read', async () => {
  await writeRunningStack(file, runningStack({ base_url: 'http://here' }));
  expect(await readRunningStack(file)).toEqual(runningStack({ base_url: 'http://here' }));
});

test('without a record or its folder, no stack runs', async () => {
  expect(await readRunningStack(file)).toBeUndefined();
  await writeFile(join(folder, 'state'), '');
  expect(await readRunningStack(join(folder, 'state', 'running.json'))).toBeUndefined();
});

test('a file that cannot be read is named with the reason', async () => {
  await mkdir(file);
  await expect(readRunningStack(file)).rejects.toThrow(
    new CommandFailure(`${file} cannot be read (EISDIR)`),
  );
});

test.each(['{"up":', '{"up":{}}'])(
  'a file that holds %s is said to be damaged',
  async (content) => {
    await writeFile(file, content);
    await expect(readRunningStack(file)).rejects.toThrow(CommandFailure);
    await expect(readRunningStack(file)).rejects.toThrow(`${file} cannot be understood`);
  },
);

test('the next stack removes a file that cannot be understood', async () => {
  await writeFile(file, '{"up":');
  await stopLeftovers(file);
  expect(await readRunningStack(file)).toBeUndefined();
});
