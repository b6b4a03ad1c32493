import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotRun, findOnPath } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCRIPTS } from '../src/completion/scripts.ts';

const main = join(import.meta.dirname, '../src/main.ts');
const TIMEOUT_MS = 60_000;

/**
 * Types a line into a zsh on a pseudo terminal, presses Tab, and prints what is then on the line, between `<` and `>`.
 * https://zsh.sourceforge.io/Doc/Release/Zsh-Modules.html#The-zsh_002fzpty-Module
 */
const TYPE_IN_ZSH = String.raw`
  zmodload zsh/zpty
  zpty shell zsh -f -i
  zpty -w shell "fpath=($FUNCTIONS \$fpath); autoload -Uz compinit && compinit -u -D
    show() { zle -I; print -r -- \"<\$BUFFER>\" }
    zle -N show; bindkey '^X' show; print lo''aded"
  zpty -r shell output '*loaded*'
  zpty -w -n shell "$LINE"$'\t\x18'
  zpty -r shell output '*<*>*'
  print -r -- "$output"
  zpty -d shell`;

const TYPE_IN_FISH = 'source $SCRIPT; complete --do-complete $LINE';

function missing(shell: string): string | undefined {
  const isThere = findOnPath([shell], process.env) !== undefined;
  return isThere ? undefined : `no ${shell} here; Debian's package is ${shell}`;
}

describe('completion in a real shell', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-completion-'));
    await writeFile(
      join(folder, 'sluice'),
      `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`,
    );
    await chmod(join(folder, 'sluice'), 0o755);
    await mkdir(join(folder, 'functions'));
    await writeFile(join(folder, 'functions/_sluice'), SCRIPTS.zsh);
    await writeFile(join(folder, 'sluice.fish'), SCRIPTS.fish);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  function complete(shell: readonly string[], line: string): string {
    const [program = '', ...parameters] = shell;
    return execFileSync(program, parameters, {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      env: {
        PATH: `${folder}:${process.env['PATH']}`,
        HOME: folder,
        TERM: 'dumb',
        FUNCTIONS: join(folder, 'functions'),
        SCRIPT: join(folder, 'sluice.fish'),
        LINE: line,
      },
    });
  }

  test.skipIf(cannotRun('completion in zsh', missing('zsh')))(
    'zsh completes a word, and lists those that are possible',
    () => {
      const zsh = ['zsh', '-f', '-c', TYPE_IN_ZSH];
      expect(complete(zsh, 'sluice undr')).toContain('<sluice undrain >');
      expect(complete(zsh, 'sluice --context local get plans -o y')).toContain('-o yaml >');
      const listed = complete(zsh, 'sluice keys r');
      expect(listed).toMatch(/rotate/);
      expect(listed).toMatch(/revoke/);
      expect(listed).toContain('<sluice keys r>');
    },
    TIMEOUT_MS,
  );

  test.skipIf(cannotRun('completion in fish', missing('fish')))(
    'fish completes a word, with its description',
    () => {
      const fish = ['fish', '--no-config', '-c', TYPE_IN_FISH];
      expect(complete(fish, 'sluice undr')).toBe('undrain\tlet a drained worker take jobs again\n');
      expect(complete(fish, 'sluice keys r').split('\n').toSorted()).toEqual([
        '',
        'revoke',
        'rotate',
      ]);
    },
    TIMEOUT_MS,
  );
});
