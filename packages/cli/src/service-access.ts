import { readFile } from 'node:fs/promises';
import { readRpcClientTls, type ClientTls, type RpcError } from '@sluice/rpc';
import { readAddress } from './address-option.ts';
import { CommandFailure, UsageError, type CommandContext } from './command.ts';
import {
  addressIn,
  chosenDeployment,
  environmentOf,
  tokenOf,
  type AddressField,
  type ChosenDeployment,
} from './contexts/chosen-deployment.ts';
import type { Deployment } from './contexts/context-file.ts';
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

/** `elsewhere` describes the address that `--address` takes, such as `port of another usage service`. */
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

/** The service that a command calls. */
export interface WantedService {
  /** The field of a context that holds its address. */
  readonly contextField: Extract<AddressField, 'address' | 'usage'>;
  /** Chooses its address in a local stack. */
  readonly nearestOf: (stack: RunningStack, token: string) => Promise<string> | string;
}

/** Finds the service that the options or the context name. */
export async function findAccess(
  { state, address, token }: AccessOptions,
  context: CommandContext,
  { contextField, nearestOf }: WantedService,
): Promise<Access> {
  if (address !== undefined && state !== undefined) {
    throw new UsageError('--state and --address exclude each other');
  }
  if (state !== undefined && context.contextName !== undefined) {
    throw new UsageError('--state and --context exclude each other');
  }
  const isNamed = address !== undefined || state !== undefined;
  const deployment = await chosenDeployment(context, { isNamed });
  const remoteAddress = address ?? remoteAddressIn(deployment, contextField);
  if (remoteAddress !== undefined) {
    const namedToken = token ?? (deployment && (await tokenOf(deployment, context))) ?? '';
    const usedToken = namedToken === '' ? (context.environment[TOKEN_VARIABLE] ?? '') : namedToken;
    const where = deployment === undefined ? '--address' : `the context ${deployment.name}`;
    if (usedToken === '') throw new UsageError(`${where} needs a token: set ${TOKEN_VARIABLE}`);
    return {
      address: readAddress('--address', remoteAddress),
      token: readToken(usedToken),
      tls: tlsElsewhere(context, deployment),
    };
  }
  const stack = await findStack(state ?? deployment?.state, context, '--address');
  const stored = await readFile(stack.admin_token_file, 'utf8');
  const usedToken = readToken(token ?? stored);
  return { address: await nearestOf(stack, usedToken), token: usedToken, stack };
}

/** Undefined for a stack on this machine. */
function remoteAddressIn(
  deployment: ChosenDeployment | undefined,
  field: WantedService['contextField'],
): string | undefined {
  if (deployment === undefined || deployment.state !== undefined) return undefined;
  return addressIn(deployment, field);
}

/** TLS settings for a remote deployment. A local stack is not encrypted. */
export function tlsElsewhere(
  { environment }: CommandContext,
  deployment: Deployment = {},
): ClientTls | undefined {
  return readSharedSettings(() => readRpcClientTls(environmentOf(deployment, environment)));
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
    return says(`${address} is not ${port}, or the service there is older than this command`);
  }
  return says(error.message);
}
