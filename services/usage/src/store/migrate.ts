import * as z from 'zod';
import { lockForWriting, select, type Database } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

const Version = z.object({ version: z.int() });

/**
 * Builds the tables, and returns the version that they have. Each step runs once, also if several processes start at
 * the same time. Tables of a newer version are left as they are, because its steps only add to them.
 */
export async function migrate(
  database: Database,
  steps: readonly string[] = MIGRATIONS,
): Promise<number> {
  return database.transaction(async (transaction) => {
    await lockForWriting(transaction);
    await transaction.query(
      'CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())',
    );
    const sql = 'SELECT coalesce(max(version), 0) AS version FROM migrations';
    const [found] = await select(transaction, Version, sql);
    let version = found?.version ?? 0;
    for (const step of steps.slice(version)) {
      // One statement at a time, because `query` of PGlite accepts only one: https://pglite.dev/docs/api#query
      for (const statement of step.split(';')) {
        if (statement.trim() !== '') await transaction.query(statement);
      }
      version += 1;
      await transaction.query('INSERT INTO migrations (version) VALUES ($1)', [version]);
    }
    return version;
  });
}
