import { isAlive } from '@sluice/servers';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { chosenDeployment } from '../contexts/chosen-deployment.ts';
import { LOCAL } from '../contexts/context-file.ts';
import { readRunningStack, type RunningStack } from './running-stack.ts';
import { stateFolderAt } from './state-folder.ts';
import { statePath } from './state-path.ts';

/** The stack on this machine that --state or the context names. */
export async function findLocalStack(
  state: string | undefined,
  context: CommandContext,
): Promise<RunningStack> {
  const deployment = await chosenDeployment(context, { isNamed: state !== undefined });
  if (deployment !== undefined && deployment.state === undefined) {
    throw new UsageError(
      `the context ${deployment.name} is not on this machine; choose '--context ${LOCAL}'`,
    );
  }
  return findStack(state ?? deployment?.state, context);
}

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
