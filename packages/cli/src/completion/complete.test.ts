import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commands } from '../commands/index.ts';
import { complete } from './complete.ts';
import { SCRIPTS } from './scripts.ts';

const context = { environment: {}, folder: '/', print: () => {}, printError: () => {} };

async function words(...given: string[]): Promise<string[]> {
  const found = await complete(given, {
    commands,
    context,
    idsOf: async (kind) => Promise.resolve([`${kind}-1`, `${kind}-2`]),
  });
  return found.map(({ word }) => word);
}

test.each([
  [['ke'], ['keys']],
  [['--context', 'local', 'ke'], ['keys']],
  [
    ['keys', 'r'],
    ['rotate', 'revoke'],
  ],
  [
    ['keys', 'revoke', ''],
    ['api_keys-1', 'api_keys-2'],
  ],
  [
    ['keys', 'list', '--project', ''],
    ['projects-1', 'projects-2'],
  ],
  [['keys', 'list', '--project=projects-1', '--out'], ['--output']],
  [['keys', 'list', '-o', 'y'], ['yaml']],
  [['keys', 'list', '--output=c'], ['--output=csv']],
  [['keys', 'list', '--output', '=', 'c'], ['csv']],
  [['get', 'plan', 'plans-2'], ['plans-2']],
  [['limits', 's'], ['set']],
  [
    ['up', '--wi'],
    ['--without-usage', '--without-console'],
  ],
  [['context', 'list', '--context', ''], ['local']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['nothing', ''], []],
])('%j is completed with %j', async (given, expected) => {
  expect(await words(...given)).toEqual(expected);
});

test('bash passes the words of the line to the command, and shows its answer without descriptions', () => {
  const script = String.raw`
    sluice() { printf 'asked'; printf ' %s' "$@"; printf '\tnot shown\n'; }
    ${SCRIPTS.bash}
    COMP_WORDS=(sluice keys list --pro); COMP_CWORD=3
    _sluice
    printf '%s\n' "${'$'}{COMPREPLY[@]}"`;
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe(
    'asked __complete -- keys list --pro\n',
  );
});
