import { afterEach, expect, test, vi } from 'vitest';
import { runBench } from './run-bench.ts';

const printed = vi.spyOn(console, 'log').mockReturnValue();
const complained = vi.spyOn(console, 'error').mockReturnValue();

afterEach(() => {
  vi.clearAllMocks();
});

test.each([
  [[], ['--rounds', '--quick', '--only', '--contestant', '--json']],
  [['compare'], ['--rounds', '--quick', '--only', '--contestant', '--json']],
  [['quota'], ['--rounds', '--json']],
  [['catalog'], ['--keys', '--rounds', '--json']],
  [['worker'], ['--rounds', '--json']],
  [['telemetry'], ['--rounds', '--json']],
  [['neighbours'], ['--kind', '--rounds', '--quick', '--json']],
  [['versions'], ['--old', '--only', '--threshold', '--minutes', '--json']],
  [['console'], ['--keys', '--organizations', '--workers', '--requests', '--rounds', '--json']],
  [['soak'], ['--minutes', '--users', '--seed', '--without-faults', '--json']],
])('the help of %j describes its own options', async (command, options) => {
  expect(await runBench([...command, '--help'])).toBe(0);
  const help = String(printed.mock.calls[0]?.[0]);
  expect(help).toMatch(/^Usage: npm run /);
  const described = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option);
  expect(described).toEqual([...options, '--help']);
});

test.each(['dance', 'constructor', '__proto__'])('%s is no command', async (word) => {
  expect(await runBench([word])).toBe(2);
  expect(complained).toHaveBeenCalledExactlyOnceWith(`bench: there is no '${word}'; try --help`);
});
