import { RpcError, connectCatalogAdmin } from '@sluice/rpc';
import { CommandFailure } from '../command.ts';
import {
  checkCatalogPosition,
  recordCatalogPosition,
  type KeptCatalog,
} from './catalog-position.ts';
import { createDemoKey, seedDemoCatalog } from './demo-catalog.ts';
import type { RuntimeModel } from './runtime-models.ts';

export interface CatalogFilling {
  /** The admin port of a catalog, and what opens it. */
  readonly address: string;
  readonly token: string;
  readonly models: readonly RuntimeModel[];
  /** Where our own NATS keeps the catalog; undefined for a NATS of somebody else. */
  readonly kept: KeptCatalog | undefined;
}

/** Gives a catalog what a first run lacks, and makes an API key; refuses one of which NATS has lost a part. */
export async function fillCatalog({
  address,
  token,
  models,
  kept,
}: CatalogFilling): Promise<string> {
  await using admin = connectCatalogAdmin({ address, token });
  try {
    if (kept !== undefined) await checkCatalogPosition(admin, kept);
    await seedDemoCatalog(admin, { models, folder: kept?.folder });
    const apiKey = await createDemoKey(admin);
    if (kept !== undefined) await recordCatalogPosition(admin, kept);
    return apiKey;
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    throw new CommandFailure(`the catalog could not be filled: ${cause.message}`, { cause });
  }
}
