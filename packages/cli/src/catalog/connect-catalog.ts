import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  RpcError,
  connectCatalogAdmin,
  readRpcClientTls,
  type CatalogAdminClient,
  type ClientTls,
} from '@sluice/rpc';
import { readAddress } from '../address-option.ts';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { readSharedSettings } from '../environment-settings.ts';
import { findStack } from '../stack/find-stack.ts';
import type { RunningStack } from '../stack/running-stack.ts';
import { DEFAULT_STATE } from '../stack/state-path.ts';

/** Who has not said a word by then is said not to answer. */
const CONTACT_MS = 3_000;
const TOKEN_VARIABLE = 'SLUICE_ADMIN_TOKEN';

/** Options of every command that talks to a catalog. */
export const CATALOG_OPTIONS = {
  state: { type: 'string' },
  address: { type: 'string' },
  token: { type: 'string' },
} as const;

export const CATALOG_OPTIONS_HELP = `  --state DIR       folder of a stack that runs on this machine (${DEFAULT_STATE}/)
  --address H:P     admin port of a catalog elsewhere, instead of --state;
                    GRPC_TLS and its like are read as by a gateway
  --token TOKEN     admin token for it; better given as ${TOKEN_VARIABLE}`;

export interface CatalogOptions {
  readonly state?: string | undefined;
  readonly address?: string | undefined;
  readonly token?: string | undefined;
}

interface Access {
  readonly address: string;
  readonly token: string;
  /** Undefined is in the clear. */
  readonly tls?: ClientTls | undefined;
  /** Whose catalog it is; undefined for a deployment elsewhere. */
  readonly stack?: RunningStack;
}

/**
 * Does something with the catalog of the options, and with the stack on this machine when it is that one's; what the
 * catalog refuses becomes a readable failure.
 */
export async function withCatalog<Result>(
  options: CatalogOptions,
  context: CommandContext,
  use: (admin: CatalogAdminClient, stack: RunningStack | undefined) => Promise<Result>,
): Promise<Result> {
  const access = await findAccess(options, context);
  await using admin = connectCatalogAdmin(access);
  try {
    return await use(admin, access.stack);
  } catch (error) {
    throw error instanceof RpcError ? explain(error, access) : error;
  }
}

async function findAccess(
  { state, address, token }: CatalogOptions,
  context: CommandContext,
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
  const kept = await readFile(stack.admin_token_file, 'utf8');
  return { ...(await nearestOf(stack.admin_addresses, readToken(token ?? kept))), stack };
}

/** Of services on other machines; those of a stack on this one talk in the clear. */
export function tlsElsewhere({ environment }: CommandContext): ClientTls | undefined {
  return readSharedSettings(() => readRpcClientTls(environment));
}

/** What gRPC refuses is refused here: its own complaint repeats the token. */
function readToken(text: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    'the admin token must be printable ASCII characters without spaces; it is not shown here',
  );
}

/** One that answers, so that a catalog that is down or frozen is in nobody's way. All changes go to that one. */
async function nearestOf(addresses: readonly string[], token: string): Promise<Access> {
  const [first = '', ...others] = addresses;
  if (others.length === 0) return { address: first, token };
  await using clients = new AsyncDisposableStack();
  const contacts = addresses.map(async (address) => {
    await clients.use(connectCatalogAdmin({ address, token })).ready();
    return address;
  });
  const contact = new AbortController();
  try {
    const giveUp = delay(CONTACT_MS, first, { signal: contact.signal });
    return { address: await Promise.race([...contacts, giveUp]), token };
  } finally {
    contact.abort();
  }
}

function explain(error: RpcError, { address }: Access): CommandFailure {
  const says = (message: string) => new CommandFailure(message, { cause: error });
  if (error.code === 'unauthenticated') {
    return says(`the catalog at ${address} does not accept this token`);
  }
  if (error.connectionFault !== undefined) {
    return says(`the catalog at ${address} cannot be reached: ${error.connectionFault}`);
  }
  if (error.code === 'unavailable' && error.isAnswer) {
    return says(`the catalog at ${address} cannot do that now: ${error.message}`);
  }
  if (error.code === 'unavailable' || error.code === 'deadline_exceeded') {
    return says(`the catalog at ${address} does not answer; try again when it is up`);
  }
  if (error.code === 'unimplemented') {
    return says(`${address} is not the admin port of a catalog, or that one is older than this`);
  }
  return says(error.message);
}
