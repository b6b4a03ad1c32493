import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import type { Database, Queryable, Transaction } from './database.ts';

/** The database blocks the event loop while it writes a batch, so batches are small. */
const RECORDS_IN_BATCH = 1_000;

/** PostgreSQL within this process, with its files in a folder. Only one process may use a folder at a time. */
export async function openPglite(folder: string): Promise<Database> {
  if (!existsSync(folder)) await build(folder);
  const pglite = await PGlite.create(folder);
  return {
    ...queryOf(pglite),
    recordsInBatch: RECORDS_IN_BATCH,
    transaction: (work) => pglite.transaction((transaction) => work(transactionOf(transaction))),
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

function queryOf(pglite: PGlite | PgliteTransaction): Queryable {
  return {
    query: async (sql, parameters = []) => {
      const { rows } = await endIfCrashed(
        pglite.query<Record<string, unknown>>(sql, [...parameters]),
      );
      return rows;
    },
  };
}

function transactionOf(transaction: PgliteTransaction): Transaction {
  return {
    ...queryOf(transaction),
    copy: async (columns, rows) => {
      // https://pglite.dev/docs/api#dev-blob
      const blob = new Blob([rows]);
      await endIfCrashed(transaction.query(`COPY ${columns} FROM '/dev/blob'`, [], { blob }));
    },
  };
}

/**
 * The database has crashed, for example because its disk is full, and cannot be used again. An uncaught error ends the
 * process, and its supervisor starts it again.
 */
async function endIfCrashed<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && error.name === 'RuntimeError') {
      setImmediate(() => throwAgain(error));
    }
    throw error;
  }
}

function throwAgain(error: Error): never {
  throw error;
}
