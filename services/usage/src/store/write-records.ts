import type { Queryable } from './database.ts';
import { DAY_MS, HOUR_MS } from './partitions.ts';
import type { AttemptRow, RequestRow } from './rows.ts';

/** Columns and their types. The rows are passed as one JSON text, which is cheaper than an array for each column. */
const REQUEST_COLUMNS: Readonly<Record<keyof RequestRow, string>> = {
  id: 'text',
  received_ms: 'bigint',
  organization: 'text',
  project: 'text',
  credential: 'text',
  operation: 'text',
  model: 'text',
  target: 'text',
  stream: 'boolean',
  outcome: 'text',
  code: 'text',
  gateway: 'text',
  offers: 'bigint',
  refused_offers: 'bigint',
  estimated_tokens: 'bigint',
  delivered_tokens: 'bigint',
  counted: 'boolean',
  input_tokens: 'bigint',
  cached_tokens: 'bigint',
  output_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  first_token_ms: 'bigint',
  duration_ms: 'bigint',
  status: 'bigint',
  details: 'text',
  spend: 'numeric',
};

const ATTEMPT_COLUMNS: Readonly<Record<keyof AttemptRow, string>> = {
  id: 'text',
  request: 'text',
  accepted_ms: 'bigint',
  organization: 'text',
  project: 'text',
  model: 'text',
  worker: 'text',
  gateway: 'text',
  ended: 'text',
  reason: 'text',
  generated_tokens: 'bigint',
  queued_ms: 'bigint',
  ran_ms: 'bigint',
  worker_name: 'text',
  host: 'text',
  runtime: 'text',
};

const REQUEST_SUMS: Readonly<Record<string, string>> = {
  requests: 'count(*)',
  completed: "count(*) FILTER (WHERE outcome = 'completed')",
  cancelled: "count(*) FILTER (WHERE outcome = 'cancelled')",
  failed: "count(*) FILTER (WHERE outcome = 'failed')",
  refused: "count(*) FILTER (WHERE outcome = 'refused')",
  input_tokens: 'sum(input_tokens)',
  cached_tokens: 'sum(cached_tokens)',
  output_tokens: 'sum(output_tokens)',
  reasoning_tokens: 'sum(reasoning_tokens)',
  delivered_tokens: 'sum(delivered_tokens)',
  estimated_tokens: 'coalesce(sum(estimated_tokens) FILTER (WHERE counted), 0)',
  counted_tokens: 'coalesce(sum(input_tokens) FILTER (WHERE counted), 0)',
  spend: 'coalesce(sum(spend), 0)',
  unpriced: 'count(*) FILTER (WHERE spend IS NULL)',
};

const ATTEMPT_SUMS: Readonly<Record<string, string>> = {
  attempts: 'count(*)',
  generated_tokens: 'sum(generated_tokens)',
};

const ALL_SUMS = [...Object.keys(REQUEST_SUMS), ...Object.keys(ATTEMPT_SUMS)];

/** Adds to the spend of UTC months. It is a table of its own, because budgets are compared with it every second. */
const ADD_TO_MONTHS = `
  INSERT INTO spend_monthly (month, organization, spend)
  SELECT to_char(timezone('UTC', to_timestamp(received_ms / 1000)), 'YYYY-MM'), organization, sum(spend)
  FROM fresh WHERE spend > 0 GROUP BY 1, 2
  ON CONFLICT (month, organization) DO UPDATE SET spend = spend_monthly.spend + excluded.spend`;

/** The dimensions of the sums, in addition to the hour or day. */
const SUMMED_BY = ['organization', 'project', 'credential', 'model', 'target'] as const;

const WRITE_REQUESTS = writeStatement({
  table: 'requests',
  columns: REQUEST_COLUMNS,
  time: 'received_ms',
  dimensions: ['organization', 'project', 'credential', 'model', 'target'],
  sums: REQUEST_SUMS,
  // Callers that follow new requests read them in the order of these numbers. No lower number can appear later,
  // because only one transaction writes at a time.
  numbered: 'arrival',
  moreSteps: `, by_month AS (${ADD_TO_MONTHS})`,
});

/** A worker knows neither the key of a request nor the target, so attempts are summed up without them. */
const WRITE_ATTEMPTS = writeStatement({
  table: 'attempts',
  columns: ATTEMPT_COLUMNS,
  time: 'accepted_ms',
  dimensions: ['organization', 'project', "''", 'model', "''"],
  sums: ATTEMPT_SUMS,
  numbered: undefined,
  moreSteps: '',
});

/** Adds the records that the tables do not hold yet, and adds only those to the sums. */
export async function writeRequests(
  transaction: Queryable,
  rows: readonly RequestRow[],
): Promise<void> {
  if (rows.length > 0) await transaction.query(WRITE_REQUESTS, [JSON.stringify(rows)]);
}

export async function writeAttempts(
  transaction: Queryable,
  rows: readonly AttemptRow[],
): Promise<void> {
  if (rows.length > 0) await transaction.query(WRITE_ATTEMPTS, [JSON.stringify(rows)]);
}

/**
 * Adds up the hours of days that have passed. A batch then changes only half as many rows as if it added to the sums of
 * its day, too. A record that arrives after its day was added up is added to the sum of the day at once.
 */
export async function sumPassedDays(transaction: Queryable, todayMs: number): Promise<void> {
  await transaction.query(`
    INSERT INTO usage_daily (begins_ms, ${SUMMED_BY.join(', ')}, ${ALL_SUMS.join(', ')})
    SELECT begins_ms / ${DAY_MS} * ${DAY_MS}, ${SUMMED_BY.join(', ')},
           ${ALL_SUMS.map((name) => `sum(${name})`).join(', ')}
    FROM usage_hourly
    WHERE begins_ms >= (SELECT until_ms FROM summed_days) AND begins_ms < ${todayMs}
    GROUP BY 1, 2, 3, 4, 5, 6`);
  await transaction.query('UPDATE summed_days SET until_ms = $1 WHERE until_ms < $1', [todayMs]);
}

interface WriteDescription {
  readonly table: string;
  readonly columns: Readonly<Record<string, string>>;
  /** The column with the time of the record. */
  readonly time: string;
  /** The SQL expression of each dimension in `SUMMED_BY`. */
  readonly dimensions: readonly string[];
  readonly sums: Readonly<Record<string, string>>;
  /** The column that numbers the rows in the order in which they are written. */
  readonly numbered: string | undefined;
  /** Further steps of the statement. They read the added rows from `fresh`. */
  readonly moreSteps: string;
}

function writeStatement(description: WriteDescription): string {
  const { table, columns, time, dimensions, sums, numbered, moreSteps } = description;
  const fields = Object.keys(columns).join(', ');
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  const addTo = (sumTable: string, periodMs: number, where: string) => `
    INSERT INTO ${sumTable} (begins_ms, ${SUMMED_BY.join(', ')}, ${ALL_SUMS.join(', ')})
    SELECT ${time} / ${periodMs} * ${periodMs}, ${dimensions.join(', ')},
           ${ALL_SUMS.map((name) => sums[name] ?? '0').join(', ')}
    FROM fresh ${where} GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (begins_ms, ${SUMMED_BY.join(', ')}) DO UPDATE SET
      ${Object.keys(sums)
        .map((name) => `${name} = ${sumTable}.${name} + excluded.${name}`)
        .join(', ')}`;
  // The sequence grows by more than a batch has rows, so that the numbers of two batches differ.
  const [numberColumn, number] =
    numbered === undefined
      ? ['', '']
      : [`, ${numbered}`, ", (SELECT nextval('arrivals')) + ordinality"];
  return `
    WITH fresh AS (
      INSERT INTO ${table} (${fields}${numberColumn})
      SELECT ${fields}${number}
      FROM ROWS FROM (json_to_recordset($1::json) AS (${types.join(', ')})) WITH ORDINALITY
      ON CONFLICT DO NOTHING
      RETURNING ${fields}
    ), by_day AS (
      ${addTo('usage_daily', DAY_MS, `WHERE ${time} < (SELECT until_ms FROM summed_days)`)}
    )${moreSteps}
    ${addTo('usage_hourly', HOUR_MS, '')}`;
}
