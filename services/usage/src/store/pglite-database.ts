import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import type { Database, Queryable } from './database.ts';

/** PostgreSQL within this process, with its files in a folder. Only one process may use a folder at a time. */
export async function openPglite(folder: string): Promise<Database> {
  if (!existsSync(folder)) await build(folder);
  const pglite = await PGlite.create(folder);
  return {
    ...queryOf(pglite),
    transaction: (work) => pglite.transaction((transaction) => work(queryOf(transaction))),
    [Symbol.asyncDispose]: () => pglite.close(),
  };
}

/**
 * Builds a new database in another folder, and renames the folder when the database is complete. A process that is
 * killed meanwhile leaves the unfinished folder behind. The next process removes it and starts over.
 */
async function build(folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  const pglite = await PGlite.create(unfinished);
  await pglite.close();
  await rename(unfinished, folder);
}

function queryOf(pglite: PGlite | Transaction): Queryable {
  return {
    query: async (sql, parameters = []) => {
      try {
        const { rows } = await pglite.query<Record<string, unknown>>(sql, [...parameters]);
        return rows;
      } catch (error) {
        // The database has crashed, for example because its disk is full, and cannot be used again. An uncaught error
        // ends the process, and its supervisor starts it again.
        if (error instanceof Error && error.name === 'RuntimeError') {
          setImmediate(() => throwAgain(error));
        }
        throw error;
      }
    },
  };
}

function throwAgain(error: Error): never {
  throw error;
}
