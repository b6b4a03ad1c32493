import * as z from 'zod';
import { select, type Queryable } from './database.ts';
import type { WrittenRows } from './write-records.ts';

const Known = z.object({ id: z.string(), timeMs: z.number() });

/** Whether an error says that the tables already hold a row: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/** Leaves out the rows that the tables already hold, and those that come a second time. */
export async function withoutKnown(
  transaction: Queryable,
  { requests, attempts }: WrittenRows,
): Promise<WrittenRows> {
  return {
    requests: await unknownOf(transaction, requests, {
      table: 'requests',
      time: 'received_ms',
      timeOf: ({ received_ms }) => received_ms,
    }),
    attempts: await unknownOf(transaction, attempts, {
      table: 'attempts',
      time: 'accepted_ms',
      timeOf: ({ accepted_ms }) => accepted_ms,
    }),
  };
}

interface Kind<Row> {
  readonly table: string;
  /** The column that is part of the key, beside the id. */
  readonly time: string;
  readonly timeOf: (row: Row) => number;
}

async function unknownOf<Row extends { readonly id: string }>(
  transaction: Queryable,
  rows: readonly Row[],
  { table, time, timeOf }: Kind<Row>,
): Promise<Row[]> {
  const given = new Map(rows.map((row) => [keyOf(row.id, timeOf(row)), row]));
  const found = await select(
    transaction,
    Known,
    `SELECT id, ${time}::float8 AS "timeMs" FROM ${table}
     JOIN json_to_recordset($1::json) AS given (given_id text, given_ms bigint)
       ON id = given_id AND ${time} = given_ms`,
    [JSON.stringify(rows.map((row) => ({ given_id: row.id, given_ms: timeOf(row) })))],
  );
  for (const { id, timeMs } of found) given.delete(keyOf(id, timeMs));
  return [...given.values()];
}

function keyOf(id: string, timeMs: number): string {
  return `${timeMs} ${id}`;
}
