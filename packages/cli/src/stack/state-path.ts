import { resolve } from 'node:path';
import type { CommandContext } from '../command.ts';

export const DEFAULT_STATE = '.sluice';

/** A folder that was named is meant from where the command was typed; the usual one is the same from everywhere. */
export function statePath(
  named: string | undefined,
  { folder, home = folder }: Pick<CommandContext, 'folder' | 'home'>,
): string {
  return named === undefined ? resolve(home, DEFAULT_STATE) : resolve(folder, named);
}
