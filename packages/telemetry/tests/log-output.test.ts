import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const program = path.join(import.meta.dirname, 'support/logging-program.ts');
let child: ChildProcess;
let written: string;
let line: Promise<unknown>;

beforeEach(async () => {
  child = fork(program, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  written = '';
  const { promise, resolve } = Promise.withResolvers<void>();
  line = promise;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    if (text.includes('\n')) resolve();
  });
  await once(child, 'message');
});
afterEach(async () => {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
});

it.each(['info', 'warn'])('a line of level %s is written by itself', async (level) => {
  child.send(level);
  await line;
  expect(JSON.parse(written)).toMatchObject({ level });
});

it('lines that were gathered are written in their order, with the warning after them', async () => {
  for (const level of ['info', 'info', 'warn']) child.send(level);
  const levels = () =>
    written
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => /"level":"(\w+)"/.exec(text)?.[1]);
  while (levels().length < 3) await once(child.stdout ?? child, 'data');
  expect(levels()).toEqual(['info', 'info', 'warn']);
});

it('an exit loses nothing', async () => {
  child.send('exit');
  await once(child, 'close');
  expect(JSON.parse(written)).toMatchObject({ level: 'info', msg: 'a line' });
});

it('a log that cannot be written, as on a full disk, ends nobody', async () => {
  const unwritable = openSync(program, 'r');
  const unheard = fork(program, { stdio: ['ignore', unwritable, 'inherit', 'ipc'] });
  closeSync(unwritable);
  await once(unheard, 'message');
  for (const level of ['warn', 'warn']) {
    unheard.send(level);
    expect(await once(unheard, 'message')).toContain('said');
  }
  const exited = once(unheard, 'exit');
  unheard.send('exit');
  expect(await exited).toEqual([0, null]);
});
