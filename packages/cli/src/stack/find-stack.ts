import { CommandFailure, type CommandContext } from '../command.ts';
import { isAlive } from './process-identity.ts';
import { readRunningStack, type RunningStack } from './running-stack.ts';
import { stateFolderAt } from './state-folder.ts';
import { statePath } from './state-path.ts';

/** The stack that runs from a state folder. */
export async function findStack(
  state: string | undefined,
  context: Pick<CommandContext, 'folder' | 'home'>,
): Promise<RunningStack> {
  const path = statePath(state, context);
  const stack = await readRunningStack(stateFolderAt(path).runningFile);
  if (stack !== undefined && isAlive(stack.up)) return stack;
  throw new CommandFailure(
    `no stack is running from ${path}; start one with 'sluice up', or name its folder with --state`,
  );
}
