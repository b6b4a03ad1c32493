import { RpcError, connectCatalogAdmin } from '@sluice/rpc';
import { CommandFailure } from '../command.ts';
import { checkCatalogPosition, recordCatalogPosition } from './catalog-position.ts';
import { createDemoKey, seedDemoCatalog } from './demo-catalog.ts';
import type { RuntimeModel } from './runtime-models.ts';
import type { StateFolder } from './state-folder.ts';

export interface CatalogFilling {
  /** The admin port of a catalog, and what opens it. */
  readonly address: string;
  readonly token: string;
  readonly models: readonly RuntimeModel[];
  /** Where our own NATS keeps the catalog; undefined for a NATS of somebody else. */
  readonly folder: StateFolder | undefined;
}

/** Gives a catalog what a first run lacks, and makes an API key; refuses one of which NATS has lost a part. */
export async function fillCatalog({
  address,
  token,
  models,
  folder,
}: CatalogFilling): Promise<string> {
  await using admin = connectCatalogAdmin({ address, token });
  try {
    if (folder !== undefined) await checkCatalogPosition(admin, folder);
    await seedDemoCatalog(admin, { models, folder });
    const apiKey = await createDemoKey(admin);
    if (folder !== undefined) await recordCatalogPosition(admin, folder);
    return apiKey;
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    throw new CommandFailure(`the catalog could not be filled: ${cause.message}`, { cause });
  }
}
