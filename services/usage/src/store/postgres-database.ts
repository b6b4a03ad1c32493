import type { Logger } from '@sluice/service';
import { Pool, type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Database, Queryable, Transaction } from './database.ts';

export interface PostgresAccess {
  /** `postgres://user@host:port/database`. */
  readonly url: string;
  readonly password: string | undefined;
  /** The authorities to trust. Undefined means without TLS. */
  readonly tls: { readonly ca: string | undefined } | undefined;
}

const CONNECTIONS = 4;
/** More records in a transaction share the rows of sums that it changes. With twice as many, a record costs as much. */
const RECORDS_IN_BATCH = 4_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Longer than the slowest report takes. Without a timeout, a frozen or unreachable server would block forever. */
const QUERY_TIMEOUT_MS = 30_000;

export function openPostgres({ url, password, tls }: PostgresAccess, logger: Logger): Database {
  const pool = new Pool({
    connectionString: withPassword(url, password),
    ssl: sslOption(tls),
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'sluice-usage',
  });
  // An idle connection that breaks is replaced. Without a listener, the event would end the process:
  // https://node-postgres.com/apis/pool#error
  pool.on('error', (error) => logger.warn({ err: error }, 'a connection to PostgreSQL was lost'));
  return {
    ...queryOf(pool),
    recordsInBatch: RECORDS_IN_BATCH,
    transaction: async (work) => {
      const client = await pool.connect();
      let broken = true;
      // The pool listens for errors of idle connections only. For a connection in use, the `error` event can be
      // ignored, because the query that is running rejects, too. Without a listener, it would end the process.
      const ignoreError = () => undefined;
      client.on('error', ignoreError);
      try {
        await client.query('BEGIN');
        const result = await work(transactionOf(client));
        await client.query('COMMIT');
        broken = false;
        return result;
      } catch (error) {
        broken = !(await rolledBack(client));
        throw error;
      } finally {
        client.off('error', ignoreError);
        client.release(broken);
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

function sslOption(tls: PostgresAccess['tls']): boolean | { ca: string } {
  if (tls === undefined) return false;
  return tls.ca === undefined ? true : { ca: tls.ca };
}

/**
 * If it has an address, the client ignores a separate password: `parse` in
 * https://github.com/brianc/node-postgres/blob/master/packages/pg-connection-string/index.js
 */
function withPassword(url: string, password: string | undefined): string {
  if (password === undefined) return url;
  const address = new URL(url);
  address.password = encodeURIComponent(password);
  return address.href;
}

function queryOf(client: Pool | PoolClient): Queryable {
  return {
    query: async (sql, parameters = []) => {
      const { rows } = await client.query<Record<string, unknown>>(sql, [...parameters]);
      return rows;
    },
  };
}

function transactionOf(client: PoolClient): Transaction {
  return {
    ...queryOf(client),
    copy: async (columns, rows) => {
      const stream = client.query(copyFrom(`COPY ${columns} FROM STDIN`));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      stream.on('finish', resolve).on('error', reject);
      stream.end(rows);
      await promise;
    },
  };
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
