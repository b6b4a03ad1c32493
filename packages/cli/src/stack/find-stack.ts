import { isAlive } from '@sluice/servers';
import { CommandFailure, type CommandContext } from '../command.ts';
import { readRunningStack, type RunningStack } from './running-stack.ts';
import { stateFolderAt } from './state-folder.ts';
import { statePath } from './state-path.ts';

/** The stack that runs from a state folder. `elsewhere` is the option that names a remote deployment instead. */
export async function findStack(
  state: string | undefined,
  context: Pick<CommandContext, 'folder' | 'home'>,
  elsewhere?: string,
): Promise<RunningStack> {
  const path = statePath(state, context);
  const stack = await readRunningStack(stateFolderAt(path).runningFile);
  if (stack !== undefined && isAlive(stack.up)) return stack;
  const places = elsewhere === undefined ? '' : `, or a deployment elsewhere with ${elsewhere}`;
  throw new CommandFailure(
    `no stack is running from ${path}; start one with 'sluice up', or name its folder with --state${places}`,
  );
}
