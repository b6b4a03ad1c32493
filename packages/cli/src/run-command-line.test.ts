import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { CommandFailure, UsageError, parseOptions, type Command } from './command.ts';
import { commands } from './commands/index.ts';
import { defineCommand } from './define-command.ts';
import { LIST_FORMATS } from './output/formats.ts';
import { runCommandLine } from './run-command-line.ts';

const greet: Command = {
  help: '\nUsage: sluice greet NAME\n',
  run: async (parameters, { print }) => {
    const { positionals } = parseOptions(parameters, {
      loud: { type: 'boolean' },
      to: { type: 'string', short: 't' },
      also: { type: 'string', multiple: true },
    });
    const [name] = positionals;
    if (name === undefined) throw new UsageError('name somebody');
    if (name === 'nobody') throw new CommandFailure('nobody is there');
    if (name === 'bug') throw new TypeError('a mistake of ours');
    print(`Hello ${name}`);
    return Promise.resolve(0);
  },
};

const show = defineCommand({
  help: 'Usage: sluice show',
  options: { state: { type: 'string' } },
  formats: LIST_FORMATS,
  run: async ({ values: { state }, show: print }, { contextName }) => {
    print({ data: [{ state, contextName }], text: () => 'text' });
    return Promise.resolve();
  },
});

async function run(...parameters: string[]) {
  const shown = { out: '', error: '' };
  const code = await runCommandLine(parameters, {
    commands: [
      { name: 'greet', summary: 'say hello', load: () => Promise.resolve(greet) },
      { name: 'show', summary: 'show a list', load: () => Promise.resolve(show) },
    ],
    environment: {},
    folder: '/',
    print: (text) => (shown.out += text),
    printError: (text) => (shown.error += text),
  });
  return { code, ...shown };
}

test('runs the command that is named', async () => {
  expect(await run('greet', 'Ada')).toEqual({ code: 0, out: 'Hello Ada', error: '' });
});

test('an option with several values, and an option without a value, may be given twice', async () => {
  const twice = ['--also=Ben', '--also=Cleo', '--loud', '--loud'];
  expect(await run('greet', 'Ada', ...twice)).toMatchObject({ code: 0, error: '' });
});

test('--version says which version this is', async () => {
  const out = `sluice ${packageJson.version}`;
  expect(await run('--version')).toEqual({ code: 0, out, error: '' });
});

test.each([
  [['--help'], /^Usage: sluice COMMAND.*greet {2}say hello/s],
  [['help'], /^Usage: sluice COMMAND/],
  [['greet', '--help'], /^Usage: sluice greet NAME$/],
  [['greet', 'Ada', '-h'], /^Usage: sluice greet NAME$/],
  [['help', 'greet'], /^Usage: sluice greet NAME$/],
])('%j shows help', async (parameters, text) => {
  const { code, out, error } = await run(...parameters);
  expect(out).toMatch(text);
  expect({ code, error }).toEqual({ code: 0, error: '' });
});

test.each([
  [['greet'], 2, /^sluice greet: name somebody$/],
  [['greet', '--quiet'], 2, /^sluice greet: there is no option --quiet; --help lists them$/],
  [['greet', '--luod'], 2, /^sluice greet: there is no option --luod; did you mean '--loud'\?$/],
  [['gret'], 2, /^sluice: there is no command 'gret'; did you mean 'greet'\?$/],
  [
    ['--contxt', 'x', 'greet'],
    2,
    /^sluice: the command comes first, .*; did you mean '--context'\?$/,
  ],
  [['greet', 'Ada', '--context'], 2, /^sluice: --context needs a value$/],
  [['greet', '-q'], 2, /^sluice greet: there is no option -q; --help lists them$/],
  [['greet', '--loud=very'], 2, /^sluice greet: --loud takes no value; see --help$/],
  [['greet', '--to'], 2, /^sluice greet: --to needs a value; see --help$/],
  [['greet', '--to', '-1'], 2, /^sluice greet: --to needs a value, .* --to=-…; see --help$/],
  [['greet', 'Ada', '--to=a', '-t', 'b'], 2, /^sluice greet: --to is given twice$/],
  [['greet', 'nobody'], 1, /^sluice greet: nobody is there$/],
  [['dance'], 2, /^sluice: there is no command 'dance'/],
  [['help', 'dance'], 2, /^sluice: there is no command 'dance'/],
  [['--json'], 2, /^Usage: sluice COMMAND/],
  [[], 2, /^Usage: sluice COMMAND/],
])('%j is refused with code %i', async (parameters, code, text) => {
  const result = await run(...parameters);
  expect(result.error).toMatch(text);
  expect(result).toMatchObject({ code, out: '' });
});

test('options that commands share may be given before the command and after it', async () => {
  const shown = { code: 0, error: '', out: 'state,contextName\na,prod' };
  const options = ['--state', 'a', '--output=csv', '--context', 'prod'];
  expect(await run(...options, 'show')).toEqual(shown);
  expect(await run('show', ...options)).toEqual(shown);
});

test.each([
  [[], 'text'],
  [['--json'], '[{"contextName":"x"}]'],
  [['-o', 'yaml'], '- contextName: x'],
])('with %j a command prints its data as %j', async (parameters, out) => {
  expect((await run('show', '--context=x', ...parameters)).out).toBe(out);
});

test('an unknown format is refused with the known ones', async () => {
  const { code, error } = await run('show', '--output', 'jsno');
  expect(error).toMatch(/must be one of table, json, yaml, csv, not 'jsno'; did you mean 'json'\?/);
  expect(code).toBe(2);
});

test('an unexpected error is thrown', async () => {
  await expect(run('greet', 'bug')).rejects.toThrow(TypeError);
});

test('no two commands have the same name', () => {
  const names = commands.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});
