import { readFile } from 'node:fs/promises';
import { readRpcClientTls, type ClientTls, type RpcError } from '@sluice/rpc';
import { readAddress } from './address-option.ts';
import { CommandFailure, UsageError, type CommandContext } from './command.ts';
import { readSharedSettings } from './environment-settings.ts';
import { findStack } from './stack/find-stack.ts';
import type { RunningStack } from './stack/running-stack.ts';
import { DEFAULT_STATE } from './stack/state-path.ts';

const TOKEN_VARIABLE = 'SLUICE_ADMIN_TOKEN';

/** Options of every command that calls a service with an admin token. */
export const ACCESS_OPTIONS = {
  state: { type: 'string' },
  address: { type: 'string' },
  token: { type: 'string' },
} as const;

/** `elsewhere` names what `--address` is the address of. */
export const accessHelp = (
  elsewhere: string,
) => `  --state DIR       folder of a stack that runs on this machine (${DEFAULT_STATE}/)
  --address H:P     ${elsewhere}, instead of --state. GRPC_TLS and
                    its certificate files are read as by a gateway
  --token TOKEN     admin token for --address. Other users can see options: set
                    ${TOKEN_VARIABLE} instead`;

export interface AccessOptions {
  readonly state?: string | undefined;
  readonly address?: string | undefined;
  readonly token?: string | undefined;
}

export interface Access {
  readonly address: string;
  readonly token: string;
  /** Without it, the connection is not encrypted. */
  readonly tls?: ClientTls | undefined;
  /** The local stack that runs the service. Undefined for a remote deployment. */
  readonly stack?: RunningStack;
}

/** Finds the service that the options name. `nearestOf` chooses its address in a local stack. */
export async function findAccess(
  { state, address, token }: AccessOptions,
  context: CommandContext,
  nearestOf: (stack: RunningStack, token: string) => Promise<string> | string,
): Promise<Access> {
  if (address !== undefined) {
    if (state !== undefined) throw new UsageError('--state and --address exclude each other');
    const given = token ?? context.environment[TOKEN_VARIABLE] ?? '';
    if (given === '') throw new UsageError(`--address needs a token: set ${TOKEN_VARIABLE}`);
    return {
      address: readAddress('--address', address),
      token: readToken(given),
      tls: tlsElsewhere(context),
    };
  }
  const stack = await findStack(state, context, '--address');
  const stored = await readFile(stack.admin_token_file, 'utf8');
  const known = readToken(token ?? stored);
  return { address: await nearestOf(stack, known), token: known, stack };
}

/** TLS settings for a remote deployment. A local stack is not encrypted. */
export function tlsElsewhere({ environment }: CommandContext): ClientTls | undefined {
  return readSharedSettings(() => readRpcClientTls(environment));
}

/** Checks the token here, because the error of gRPC would contain it: https://github.com/grpc/grpc-node/issues/519 */
function readToken(text: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    'the admin token must be printable ASCII characters without spaces; it is not shown here',
  );
}

export interface ServiceWords {
  /** Such as `the catalog`. */
  readonly service: string;
  /** Such as `the admin port of a catalog`. */
  readonly port: string;
}

/** A readable failure for an error of a call. */
export function explainRpcError(
  error: RpcError,
  { address }: Access,
  { service, port }: ServiceWords,
): CommandFailure {
  const says = (message: string) => new CommandFailure(message, { cause: error });
  if (error.code === 'unauthenticated') {
    return says(`${service} at ${address} does not accept this token`);
  }
  if (error.connectionFault !== undefined) {
    return says(`${service} at ${address} cannot be reached: ${error.connectionFault}`);
  }
  if (error.code === 'unavailable' && error.isAnswer) {
    return says(`${service} at ${address} cannot do that now: ${error.message}`);
  }
  if (error.code === 'unavailable' || error.code === 'deadline_exceeded') {
    return says(`${service} at ${address} does not answer; try again when it is up`);
  }
  if (error.code === 'unimplemented') {
    return says(`${address} is not ${port}, or that one is older than this`);
  }
  return says(error.message);
}
