import { RpcError, connectUsage, type UsageClient } from '@sluice/rpc';
import { CommandFailure, type CommandContext } from '../command.ts';
import {
  ACCESS_OPTIONS,
  accessHelp,
  explainRpcError,
  findAccess,
  type AccessOptions,
} from '../service-access.ts';

/** Options of every command that asks the usage service. */
export const USAGE_OPTIONS = ACCESS_OPTIONS;
export const USAGE_OPTIONS_HELP = accessHelp('port of another usage service');
export type UsageOptions = AccessOptions;

const WORDS = { service: 'the usage service', port: 'the port of a usage service' };

/** Runs `use` with the usage service that the options name. An RpcError becomes a readable CommandFailure. */
export async function withUsage<Result>(
  options: UsageOptions,
  context: CommandContext,
  use: (usage: UsageClient) => Promise<Result>,
): Promise<Result> {
  const access = await findAccess(options, context, {
    contextField: 'usage',
    nearestOf: ({ usage_address: address }) => {
      if (address !== '') return address;
      throw new CommandFailure('this stack runs without usage; start it without --without-usage');
    },
  });
  await using usage = connectUsage(access);
  try {
    return await use(usage);
  } catch (error) {
    throw error instanceof RpcError ? explainRpcError(error, access, WORDS) : error;
  }
}
