import { resolve } from 'node:path';
import type { CommandContext } from '../command.ts';

export const DEFAULT_STATE = '.sluice';

/** A named folder is relative to the folder in which the command was typed. The default folder is in `home`. */
export function statePath(
  named: string | undefined,
  { folder, home = folder }: Pick<CommandContext, 'folder' | 'home'>,
): string {
  return named === undefined ? resolve(home, DEFAULT_STATE) : resolve(folder, named);
}
