import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { redactConsole } from './process-hardening.ts';

const SECRET = 'the secret prompt';
let written: PassThrough;
let guarded: Console;
let lines: string[];

beforeEach(() => {
  written = new PassThrough();
  guarded = new Console(written);
  lines = [];
  const destination = { write: (line: string) => void lines.push(line) };
  redactConsole(createLogger({ service: 'test', level: 'info', destination }), guarded);
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

it.each(METHODS)('a call of console.%s is logged without its text', (method) => {
  guarded[method](SECRET);
  expect(lines).toHaveLength(1);
  const line: unknown = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({
    level: 'warn',
    msg: 'a library wrote to the console: the text is left out',
  });
  expect(lines[0]).not.toContain('secret');
  expect(written.read()).toBeNull();
});

it('the log has the location of the call, and the kind of the error', () => {
  guarded.log('reader closed', new SyntaxError(SECRET));
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    method: 'log',
    at: expect.stringContaining('process-hardening.test.ts:') as unknown,
    err: { name: 'SyntaxError' },
  });
  expect(lines[0]).not.toContain('secret');
});

it('each location is logged once', () => {
  for (const word of ['one', 'another']) guarded.error(word);
  expect(lines).toHaveLength(1);
  guarded.error('elsewhere');
  expect(lines).toHaveLength(2);
});

it('console.dir is not replaced, because the exporters of OpenTelemetry use it', () => {
  guarded.dir({ span: 'completions' });
  expect(String(written.read())).toContain('completions');
  expect(lines).toEqual([]);
});
