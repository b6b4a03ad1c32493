import * as z from 'zod';

/** Both databases return rows of this shape. Queries cast bigint and numeric columns to float8, which is a number in both. */
type Row = Readonly<Record<string, unknown>>;

export interface Queryable {
  /** Runs one statement with parameters `$1`, `$2`, … */
  query(sql: string, parameters?: readonly (boolean | number | string)[]): Promise<readonly Row[]>;
}

/** PostgreSQL, or its embedded form. The SQL is the same for both. */
export interface Database extends Queryable, AsyncDisposable {
  /** Commits when the work resolves, and rolls back when it rejects. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>;
}

/** Runs a query, and parses its rows. */
export async function select<Shape extends z.ZodObject>(
  database: Queryable,
  shape: Shape,
  sql: string,
  parameters: readonly (boolean | number | string)[] = [],
): Promise<z.infer<Shape>[]> {
  return z.array(shape).parse(await database.query(sql, parameters));
}

/**
 * Held by each transaction that writes, so that only one runs at a time, also of several processes. Released at the end
 * of the transaction. The number is arbitrary: every user of this database has to know it.
 */
const WRITE_LOCK = 7_238_114;

export async function lockForWriting(transaction: Queryable): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(${WRITE_LOCK})`);
}
