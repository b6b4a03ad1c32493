import { setTimeout as delay } from 'node:timers/promises';
import { RpcError, connectCatalogAdmin, type CatalogAdminClient } from '@sluice/rpc';
import type { CommandContext } from '../command.ts';
import {
  ACCESS_OPTIONS,
  accessHelp,
  explainRpcError,
  findAccess,
  type AccessOptions,
} from '../service-access.ts';
import type { RunningStack } from '../stack/running-stack.ts';

/** If no replica of the catalog answers within this time, the first one is used. */
const CONTACT_MS = 3_000;

/** Options of every command that connects to a catalog. */
export const CATALOG_OPTIONS = ACCESS_OPTIONS;
export const CATALOG_OPTIONS_HELP = accessHelp('admin port of another catalog');
export type CatalogOptions = AccessOptions;

const WORDS = { service: 'the catalog', port: 'the admin port of a catalog' };

/**
 * Runs `use` with the catalog that the options name and, if the catalog belongs to a local stack, with that stack. An
 * RpcError becomes a CommandFailure with a readable message.
 */
export async function withCatalog<Result>(
  options: CatalogOptions,
  context: CommandContext,
  use: (admin: CatalogAdminClient, stack: RunningStack | undefined) => Promise<Result>,
): Promise<Result> {
  const access = await findAccess(options, context, {
    contextField: 'address',
    nearestOf: ({ admin_addresses: addresses }, token) => nearestOf(addresses, token),
  });
  await using admin = connectCatalogAdmin(access);
  try {
    return await use(admin, access.stack);
  } catch (error) {
    throw error instanceof RpcError ? explainRpcError(error, access, WORDS) : error;
  }
}

/**
 * The replica that can be reached first. Every call of the command goes to this replica. A replica that is down or frozen
 * causes no delay: its `ready()` stays pending and never rejects, so another replica wins the race.
 */
async function nearestOf(addresses: readonly string[], token: string): Promise<string> {
  const [first = '', ...others] = addresses;
  if (others.length === 0) return first;
  await using clients = new AsyncDisposableStack();
  const connected = addresses.map(async (address) => {
    await clients.use(connectCatalogAdmin({ address, token })).ready();
    return address;
  });
  const timer = new AbortController();
  try {
    const firstAfterTimeout = delay(CONTACT_MS, first, { signal: timer.signal });
    return await Promise.race([...connected, firstAfterTimeout]);
  } finally {
    timer.abort();
  }
}
