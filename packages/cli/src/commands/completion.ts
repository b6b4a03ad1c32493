import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CATALOG_OPTIONS, withCatalog } from '../catalog/connect-catalog.ts';
import { listResources } from '../catalog/resources.ts';
import { UsageError, type Command, EXIT_DONE, type CommandEntry } from '../command.ts';
import { complete, type CompletionSources } from '../completion/complete.ts';
import { SCRIPTS, SHELLS } from '../completion/scripts.ts';
import { defineCommand } from '../define-command.ts';
import { harmlessLine } from '../harmless-text.ts';
import { suggestion } from '../suggestion.ts';

/** How long a completion waits for ids from the catalog. It is short, because a person is waiting. */
const CATALOG_MS = 1_000;

export const completion = defineCommand({
  help: `
Usage: sluice completion SHELL

Prints a script that completes commands, options and the ids of organizations,
projects, models and keys. SHELL is ${SHELLS.join(', ')}. The command must be on the PATH
as 'sluice', such as with
    ln -s "$PWD/deploy/sluice.sh" ~/.local/bin/sluice

  bash    sluice completion bash > ~/.local/share/bash-completion/completions/sluice
  zsh     sluice completion zsh > "\${fpath[1]}/_sluice"
  fish    sluice completion fish > ~/.config/fish/completions/sluice.fish
`,
  options: {},
  words: [{ words: SHELLS }],
  run: async ({ positionals }, context) => {
    const [name, ...more] = positionals;
    const shell = SHELLS.find((known) => known === name);
    if (shell === undefined || more.length > 0) {
      const meant = suggestion(name ?? '', SHELLS);
      throw new UsageError(`name one shell: ${SHELLS.join(', ')}${meant}`);
    }
    context.print(SCRIPTS[shell]);
    return Promise.resolve();
  },
});

/**
 * The command that the completion scripts call. It prints one line for each candidate, with a description after a tab. It
 * never fails, because the scripts discard its errors.
 */
export function completeCommand(commands: readonly CommandEntry[]): Command {
  return {
    help: 'Usage: sluice __complete -- WORD…',
    // The first parameter is `--`.
    run: async ([, ...words], context) => {
      const sources: CompletionSources = {
        commands,
        context,
        idsOf: async (kind, given) => {
          const ids = withCatalog(accessOf(given), context, async (admin) =>
            (await listResources(admin, kind)).map(({ id }) => id),
          );
          return Promise.race([ids, delay(CATALOG_MS, [], { ref: false })]);
        },
      };
      const candidates = await complete(words, sources).catch(() => []);
      for (const { word, description } of candidates) {
        context.print(harmlessLine(word) + (description === undefined ? '' : `\t${description}`));
      }
      return EXIT_DONE;
    },
  };
}

/** The options that choose the catalog. The line is not finished yet, so options that are not known are ignored. */
function accessOf(words: readonly string[]) {
  const { values } = parseArgs({ args: [...words], options: CATALOG_OPTIONS, strict: false });
  const text = (value: string | boolean | undefined) =>
    typeof value === 'string' ? value : undefined;
  return { state: text(values.state), address: text(values.address), token: text(values.token) };
}
