import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPglite } from '../src/store/pglite-database.ts';

/**
 * A new embedded database, which takes seconds of CPU time to build. `npm test` deletes its temporary files at the end
 * of a run, so that all test files of a run share it.
 */
const PREPARED = join(tmpdir(), 'sluice-prepared-tables');

/** Copies an embedded database without tables to a folder that is not there yet. */
export async function copyPreparedTables(folder: string): Promise<void> {
  try {
    await cp(PREPARED, folder, { recursive: true });
  } catch {
    await rm(folder, { recursive: true, force: true });
    await prepare();
    await cp(PREPARED, folder, { recursive: true });
  }
}

async function prepare(): Promise<void> {
  const own = await mkdtemp(join(tmpdir(), 'sluice-preparing-'));
  const tables = join(own, 'tables');
  const database = await openPglite(tables);
  await database[Symbol.asyncDispose]();
  // Another test file may have prepared one meanwhile.
  await rename(tables, PREPARED).catch(() => undefined);
  await rm(own, { recursive: true, force: true });
}
