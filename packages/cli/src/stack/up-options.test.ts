import { describe, expect, test } from 'vitest';
import { UsageError, parseOptions } from '../command.ts';
import { UP_OPTIONS, readUpOptions } from './up-options.ts';

const read = (parameters: readonly string[], context: { folder: string; home?: string }) =>
  readUpOptions(parseOptions(parameters, UP_OPTIONS).values, context);
const options = (...parameters: string[]) => read(parameters, { folder: '/somewhere' });

test('without options, there is one process of each service, and the port is 8080', () => {
  expect(options()).toEqual({
    port: 8080,
    gateways: 1,
    catalogs: 1,
    quotas: 1,
    workers: 1,
    runtimes: [],
    usage: true,
    console: true,
    state: '/somewhere/.sluice',
    fresh: false,
  });
});

test('each option sets its own value, up to the maximum', () => {
  const numbers = { port: 65_535, gateways: 2, catalogs: 3, quotas: 4, workers: 64 };
  const given = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  expect(options(...given, '--fresh', '--without-usage', '--without-console')).toMatchObject({
    ...numbers,
    usage: false,
    console: false,
    fresh: true,
  });
});

test('every runtime gets a worker', () => {
  const { runtimes, workers } = options(
    '--runtime',
    'http://gpu-1:8000/',
    '--runtime=https://gpu-2/v1',
  );
  expect(runtimes).toEqual(['http://gpu-1:8000', 'https://gpu-2/v1']);
  expect(workers).toBe(2);
});

test('a state folder may be anywhere', () => {
  expect(options('--state', '/elsewhere').state).toBe('/elsewhere');
});

test('a relative state folder is resolved from the folder in which the command was typed', () => {
  const context = { folder: '/typed/here', home: '/repository' };
  expect(read(['--state', 'mine'], context).state).toBe('/typed/here/mine');
  expect(read([], context).state).toBe('/repository/.sluice');
});

describe('a bad option is refused in one line', () => {
  test.each([
    [['--port', 'x'], "--port must be a whole number from 0 to 65535, not 'x'"],
    [['--port', '65536'], "--port must be a whole number from 0 to 65535, not '65536'"],
    [
      ['--port', '-1'],
      '--port needs a value, and one that begins with a dash is written --port=-…; see --help',
    ],
    [['--gateways', '0'], "--gateways must be a whole number from 1 to 64, not '0'"],
    [['--catalogs', '65'], "--catalogs must be a whole number from 1 to 64, not '65'"],
    [['--quotas', ''], "--quotas must be a whole number from 1 to 64, not ''"],
    [['--workers', '1.5'], "--workers must be a whole number from 1 to 64, not '1.5'"],
    [['--runtime', 'gpu:8000'], '--runtime must be an http or https address'],
    [['--runtime', 'http://gpu/v1/models'], '--runtime must have nothing after /v1'],
    [
      ['--runtime', 'http://a', '--runtime', 'http://b', '--workers', '1'],
      '--workers 1 is too few: each of the 2 runtimes needs one',
    ],
    [['--state', ''], '--state must name a folder'],
    [['--verbose'], 'there is no option --verbose; --help lists them'],
  ])('%j', (parameters, message) => {
    expect(() => options(...parameters)).toThrow(UsageError);
    expect(() => options(...parameters)).toThrow(message);
    let shown = '';
    try {
      options(...parameters);
    } catch (error) {
      shown = error instanceof Error ? error.message : '';
    }
    expect(shown).not.toContain('\n');
  });
});

test.each(['http://me:hush@gpu:8000', 'me:hush@gpu:8000', 'http://gpu:8000?key=hush'])(
  'the runtime %s is refused, and the error does not contain its secret',
  (url) => {
    expect(() => options('--runtime', url)).toThrow(UsageError);
    expect(() => options('--runtime', url)).not.toThrow(/hush/);
  },
);
