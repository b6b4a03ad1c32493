import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { createLogger } from '@sluice/telemetry';
import { beforeEach, expect, it } from 'vitest';
import { guardConsole } from './guard-console.ts';

const SECRET = 'the secret prompt';
let written: PassThrough;
let guarded: Console;
let lines: string[];

beforeEach(() => {
  written = new PassThrough();
  guarded = new Console(written);
  lines = [];
  const destination = { write: (line: string) => void lines.push(line) };
  guardConsole(createLogger({ service: 'test', level: 'info', destination }), guarded);
});

const METHODS = [
  'log',
  'info',
  'warn',
  'error',
  'debug',
  'trace',
  'dirxml',
  'table',
  'group',
] as const;

it.each(METHODS)('of what is written with console.%s the log says that it was', (method) => {
  guarded[method](SECRET);
  expect(lines).toHaveLength(1);
  const line: unknown = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({
    level: 'warn',
    msg: 'a library writes to the console: its words are left out',
  });
  expect(lines[0]).not.toContain('secret');
  expect(written.read()).toBeNull();
});

it('the log says where it was written, and of which kind the error is', () => {
  guarded.log('reader closed', new SyntaxError(SECRET));
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    method: 'log',
    at: expect.stringContaining('guard-console.test.ts:') as unknown,
    err: { name: 'SyntaxError' },
  });
  expect(lines[0]).not.toContain('secret');
});

it('the same place is told once, another one by itself', () => {
  for (const word of ['one', 'another']) guarded.error(word);
  expect(lines).toHaveLength(1);
  guarded.error('elsewhere');
  expect(lines).toHaveLength(2);
});

it('console.dir writes as before: exporters that an operator has asked for use it', () => {
  guarded.dir({ span: 'completions' });
  expect(String(written.read())).toContain('completions');
  expect(lines).toEqual([]);
});
