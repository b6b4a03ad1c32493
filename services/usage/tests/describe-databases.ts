import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotRun } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import type { Database } from '../src/store/database.ts';
import { openPglite } from '../src/store/pglite-database.ts';
import { openPostgres } from '../src/store/postgres-database.ts';
import { postgresMissing, PostgresServer } from './postgres-server.ts';
import { copyPreparedTables } from './prepared-tables.ts';

export const logger = createLogger({ service: 'usage-test', level: 'silent' });

interface OpenDatabase extends AsyncDisposable {
  readonly database: Database;
}

/** Runs the same tests on both databases. Each test begins without tables. */
export function describeDatabases(tests: (database: () => Database) => void): void {
  const missing = postgresMissing();
  describe('the embedded database', () => {
    tests(useDatabase(openEmbedded));
  });
  describe.skipIf(cannotRun('usage on PostgreSQL', missing))('PostgreSQL', () => {
    tests(useDatabase(openServer));
  });
}

function useDatabase(open: () => Promise<OpenDatabase>): () => Database {
  let opened: OpenDatabase | undefined;
  const database = () => {
    if (opened === undefined) throw new Error('the database opens in a hook');
    return opened.database;
  };
  beforeAll(async () => {
    opened = await open();
    // Building a new embedded database takes seconds of CPU time.
  }, 90_000);
  beforeEach(async () => {
    await database().query('DROP SCHEMA public CASCADE');
    await database().query('CREATE SCHEMA public');
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });
  return database;
}

async function openEmbedded(): Promise<OpenDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-usage-'));
  const tables = join(folder, 'tables');
  await copyPreparedTables(tables);
  const database = await openPglite(tables);
  return {
    database,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openServer(): Promise<OpenDatabase> {
  const server = await PostgresServer.start();
  const database = openPostgres({ url: server.url, password: undefined, tls: undefined }, logger);
  return {
    database,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
