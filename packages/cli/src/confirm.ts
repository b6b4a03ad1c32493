import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CommandFailure, type CommandContext } from './command.ts';
import { harmlessLine } from './harmless-text.ts';

/** Options of every command that asks before it does something that cannot be undone. */
export const CONFIRM_OPTIONS = { yes: { type: 'boolean', short: 'y', default: false } } as const;

export const CONFIRM_HELP =
  '  -y, --yes         do not ask. Without a terminal, there is no question';

/**
 * Asks on a terminal, and throws if the answer is not yes. Scripts have no terminal: they are not asked, because a
 * question would only hang or break them.
 */
export async function confirm(
  question: string,
  { yes }: { readonly yes: boolean },
  { terminal }: Pick<CommandContext, 'terminal'>,
): Promise<void> {
  if (yes || terminal === undefined || !terminal.interactive) return;
  const lines = createInterface({ input: terminal.input, output: terminal.errors, terminal: true });
  try {
    lines.setPrompt(`${harmlessLine(question)} [y/N] `);
    lines.prompt();
    // The interface closes on Ctrl-C and Ctrl-D.
    const answered = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
    if (/^\s*y(?:es)?\s*$/i.test(String(answered[0] ?? ''))) return;
  } finally {
    lines.close();
  }
  throw new CommandFailure('nothing was changed');
}
