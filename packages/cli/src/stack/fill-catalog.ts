import { RpcError, connectCatalogAdmin } from '@sluice/rpc';
import { CommandFailure } from '../command.ts';
import {
  checkCatalogPosition,
  recordCatalogPosition,
  type LocalCatalog,
} from './catalog-position.ts';
import { createDemoLink, seedDemoCatalog } from './demo-catalog.ts';
import { demoKey } from './demo-key.ts';
import type { RuntimeModel } from './runtime-models.ts';
import type { StateFolder } from './state-folder.ts';

export interface CatalogFilling {
  /** The admin address of a catalog, with the token for it. */
  readonly address: string;
  readonly token: string;
  readonly models: readonly RuntimeModel[];
  /** The catalog in the state folder. Undefined for an external NATS, which stores its catalog elsewhere. */
  readonly localCatalog: LocalCatalog | undefined;
  readonly folder: StateFolder;
  /** Empty without a console. */
  readonly consoleUrl: string;
}

export interface DemoSecrets {
  /** The key of the demo. */
  readonly apiKey: string;
  /** A link that signs in to the console once. It is stored nowhere. Empty without a console. */
  readonly signInUrl: string;
}

/**
 * Creates the missing demo resources, and returns the API key of the demo and a new link. Fails if NATS has lost a part of
 * the catalog.
 */
export async function fillCatalog({
  address,
  token,
  models,
  localCatalog,
  folder,
  consoleUrl,
}: CatalogFilling): Promise<DemoSecrets> {
  await using admin = connectCatalogAdmin({ address, token });
  try {
    if (localCatalog !== undefined) await checkCatalogPosition(admin, localCatalog);
    await seedDemoCatalog(admin, { models, folder: localCatalog?.folder });
    const apiKey = await demoKey(admin, folder);
    const signInUrl = consoleUrl === '' ? '' : await createDemoLink(admin, consoleUrl);
    if (localCatalog !== undefined) await recordCatalogPosition(admin, localCatalog);
    return { apiKey, signInUrl };
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    throw new CommandFailure(`the catalog could not be filled: ${cause.message}`, { cause });
  }
}
