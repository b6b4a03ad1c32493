import * as z from 'zod';

/** Queries cast bigint and numeric columns to float8, because the clients of both databases return it as a number. */
type Row = Readonly<Record<string, unknown>>;

export interface Queryable {
  /** Runs one statement with parameters `$1`, `$2`, … */
  query(sql: string, parameters?: readonly (boolean | number | string)[]): Promise<readonly Row[]>;
}

export interface Transaction extends Queryable {
  /** Adds rows to a table, which is named with its columns. The rows are in the text format of COPY. */
  copy(columns: string, rows: string): Promise<void>;
}

/** PostgreSQL, or the embedded PGlite. The SQL is the same for both. */
export interface Database extends Queryable, AsyncDisposable {
  /** How many records are best written in one transaction. */
  readonly recordsInBatch: number;
  /** Commits when the work resolves, and rolls back when it rejects. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
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
 * The advisory lock that each writing transaction takes. It lets only one transaction write at a time, even if several
 * processes use the database, and is released at the end of the transaction. The number is arbitrary, but all versions
 * of this service must use the same.
 */
const WRITE_LOCK = 7_238_114;

export async function lockForWriting(transaction: Queryable): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(${WRITE_LOCK})`);
}
