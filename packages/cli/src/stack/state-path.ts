import { resolve } from 'node:path';
import type { CommandContext } from '../command.ts';

export const DEFAULT_STATE = '.sluice';

/** A given folder is relative to the folder of the command line. The default is the same everywhere. */
export function statePath(
  named: string | undefined,
  { folder, home = folder }: Pick<CommandContext, 'folder' | 'home'>,
): string {
  return named === undefined ? resolve(home, DEFAULT_STATE) : resolve(folder, named);
}
