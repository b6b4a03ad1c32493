import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const program = path.join(import.meta.dirname, 'support/logging-program.ts');
let child: ChildProcess;
let written: string;

beforeEach(async () => {
  child = fork(program, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  written = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  await once(child, 'message');
});
afterEach(async () => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
});

const levels = () =>
  written
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => /"level":"(\w+)"/.exec(text)?.[1]);

/** Resolves when at least `count` lines were written. */
async function linesWritten(count: number): Promise<void> {
  while (levels().length < count) await once(child.stdout ?? child, 'data');
}

it.each(['info', 'warn'])('a line of level %s is written by itself, each time', async (level) => {
  for (let count = 1; count <= 2; count += 1) {
    child.send(level);
    await linesWritten(count);
  }
  expect(levels()).toEqual([level, level]);
});

it('lines that were gathered are written in their order, with the warning after them', async () => {
  for (const level of ['info', 'info', 'warn']) child.send(level);
  await linesWritten(3);
  expect(levels()).toEqual(['info', 'info', 'warn']);
});

it('a warning is written before the process can be killed', async () => {
  child.send('info');
  child.send('killed');
  await once(child, 'close');
  expect(levels()).toEqual(['info', 'warn']);
});

it('an exit loses nothing', async () => {
  child.send('exit');
  await once(child, 'close');
  expect(JSON.parse(written)).toMatchObject({ level: 'info', msg: 'a line' });
});

it('a log that cannot be written, as on a full disk, ends no process', async () => {
  const unwritable = openSync(program, 'r');
  const unheard = fork(program, { stdio: ['ignore', unwritable, 'inherit', 'ipc'] });
  closeSync(unwritable);
  await once(unheard, 'message');
  for (const level of ['warn', 'warn']) {
    unheard.send(level);
    expect(await once(unheard, 'message')).toContain('logged');
  }
  const exited = once(unheard, 'exit');
  unheard.send('exit');
  expect(await exited).toEqual([0, null]);
});
