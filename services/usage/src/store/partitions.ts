import * as z from 'zod';
import { lockForWriting, select, type Database } from './database.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

const TABLES = ['requests', 'attempts'] as const;
const Partition = z.object({ name: z.string() });

/** The first moment of the UTC day. */
export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS) * DAY_MS;
}

/**
 * The tables of requests and attempts have a partition for each UTC day. A partition is created when its first record
 * arrives, and dropped when its day is older than the retention.
 */
export class Partitions {
  readonly #database: Database;
  /** The days whose partitions exist, as far as this process knows. */
  readonly #known = new Set<number>();

  constructor(database: Database) {
    this.#database = database;
  }

  async create(days: ReadonlySet<number>): Promise<void> {
    const missing = Array.from(days).filter((day) => !this.#known.has(day));
    if (missing.length === 0) return;
    await this.#database.transaction(async (transaction) => {
      await lockForWriting(transaction);
      for (const day of missing) {
        for (const table of TABLES) {
          await transaction.query(
            `CREATE TABLE IF NOT EXISTS ${nameOf(table, day)} PARTITION OF ${table} FOR VALUES FROM (${day}) TO (${day + DAY_MS})`,
          );
        }
      }
    });
    for (const day of missing) this.#known.add(day);
  }

  /** Drops the partitions of all days before this one, and returns their names. */
  async dropBefore(day: number): Promise<string[]> {
    return this.#database.transaction(async (transaction) => {
      await lockForWriting(transaction);
      const dropped: string[] = [];
      for (const table of TABLES) {
        const partitions = await select(
          transaction,
          Partition,
          `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
           WHERE inhparent = '${table}'::regclass AND relname::text < $1`,
          [nameOf(table, day)],
        );
        for (const { name } of partitions) {
          await transaction.query(`DROP TABLE ${name}`);
          dropped.push(name);
        }
      }
      for (const known of this.#known) if (known < day) this.#known.delete(known);
      return dropped;
    });
  }
}

/** The names of one table's partitions sort by day, and `dropBefore` compares them. */
function nameOf(table: (typeof TABLES)[number], day: number): string {
  return `${table}_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
