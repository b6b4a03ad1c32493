import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectUsage, type UsageClient } from '@sluice/rpc';
import { LOOPBACK, findFreePort } from '@sluice/servers';
import * as z from 'zod';
import { startBackingServer, type BackingServer } from '../programs/backing-servers.ts';
import { startProgram } from '../programs/child-program.ts';
import { ROOT } from '../programs/repository.ts';
import { startServiceProgram, type ServiceProgram } from '../programs/service-program.ts';

export const DATABASES = ['postgres', 'pglite'] as const;
export type DatabaseKind = (typeof DATABASES)[number];

/** What the program that fills the tables says when it has done so. It holds the database until it is stopped. */
const FilledTables = z.object({
  /** The settings of usage that name the database. */
  settings: z.record(z.string(), z.string()),
  /** The PostgreSQL server; null for the embedded database. */
  databasePid: z.int().nullable(),
  fillSeconds: z.number(),
  /** The CPU time of a record in the store alone, median [quartiles], in microseconds. */
  cost: z.object({ service: z.string(), database: z.string() }),
  /** Ids of requests that failed and that were completed. */
  failed: z.string(),
  completed: z.string(),
  /** The UTC day after the last one with records, as in 2027-01-31. */
  until: z.string(),
});
export type FilledTables = z.infer<typeof FilledTables>;

export interface StageOptions {
  readonly database: DatabaseKind;
  readonly records: number;
  readonly organizations: number;
}

/** A usage service on filled tables, with a real NATS. */
export interface UsageStage {
  readonly filled: FilledTables;
  readonly nats: BackingServer;
  readonly client: UsageClient;
  readonly address: string;
  readonly token: string;
  /** Starts usage. Stop the one before first. */
  startUsage(): Promise<ServiceProgram>;
}

const TOKEN = 'bench-0123456789abcdef';

export async function prepareUsageStage(
  { database, records, organizations }: StageOptions,
  cleanUp: AsyncDisposableStack,
): Promise<UsageStage> {
  // PostgreSQL runs as an unprivileged user, whose folder is below this one.
  await chmod(tmpdir(), 0o711);
  const filler = cleanUp.use(
    await startProgram({
      name: 'usage-measure',
      program: process.execPath,
      parameters: [
        join(ROOT, 'services/usage/tests/measure-process.ts'),
        `--database=${database}`,
        `--records=${records}`,
        `--organizations=${organizations}`,
      ],
      tether: true,
    }),
  );
  const filled = FilledTables.parse(JSON.parse(await filler.firstLine));
  const nats = cleanUp.use(await startBackingServer('nats'));
  const address = `${LOOPBACK}:${await findFreePort()}`;
  return {
    filled,
    nats,
    address,
    token: TOKEN,
    client: cleanUp.use(connectUsage({ address, token: TOKEN })),
    startUsage: async () =>
      cleanUp.use(
        await startServiceProgram('usage', {
          ...filled.settings,
          NATS_URL: nats.url,
          HOST: LOOPBACK,
          PORT: address.slice(address.indexOf(':') + 1),
          ADMIN_TOKENS: `bench:${TOKEN}`,
        }),
      ),
  };
}
