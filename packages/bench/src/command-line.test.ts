import { expect, test } from 'vitest';
import { UsageError, parseOptions } from './command-line.ts';

test.each([
  [['--round=3'], 'there is no option --round; --help lists them'],
  [['--rounds', '-1'], '--rounds needs a value; see --help'],
  [['--rounds'], '--rounds needs a value; see --help'],
  [['--json=yes'], '--json takes no value; see --help'],
  [['often'], "it takes options only, not 'often'; see --help"],
])('%j is refused in one sentence', (parameters, message) => {
  const parse = () =>
    parseOptions(parameters, { rounds: { type: 'string' }, json: { type: 'boolean' } });
  expect(parse).toThrow(new UsageError(message));
});
