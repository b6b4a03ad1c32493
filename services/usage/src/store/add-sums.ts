import { monthOf } from '@sluice/contracts';
import * as z from 'zod';
import { arrayText } from './copy-text.ts';
import { select, type Queryable } from './database.ts';
import { DAY_MS } from './partitions.ts';
import type { AttemptRow, RequestRow } from './rows.ts';
import {
  SUMMED_BY,
  SUMS_OF_ATTEMPTS,
  SUMS_OF_REQUESTS,
  sumAttempts,
  sumRequests,
  type SummedRows,
} from './sum-rows.ts';

const NAMES = SUMMED_BY.join(', ');
const OF_REQUESTS = [...SUMS_OF_REQUESTS, 'spend'];
const ALL_SUMS = [...OF_REQUESTS, ...SUMS_OF_ATTEMPTS];

const SummedDays = z.object({ untilMs: z.number() });

const ADD_REQUESTS = statementsFor(OF_REQUESTS);
const ADD_ATTEMPTS = statementsFor(SUMS_OF_ATTEMPTS);

/** Adds to the spend of UTC months. It is a table of its own, because budgets are compared with it every second. */
const ADD_TO_MONTHS = `
  INSERT INTO spend_monthly (month, organization, spend)
  SELECT month, organization, sum(spend)
  FROM unnest($1::text::text[], $2::text::text[], $3::text::numeric[]) AS given (month, organization, spend)
  GROUP BY month, organization
  ON CONFLICT (month, organization) DO UPDATE SET spend = spend_monthly.spend + excluded.spend`;

/**
 * Adds these rows to the sums. They are summed up here and not in SQL, because the database then only changes a row for
 * each group.
 */
export async function addSums(
  transaction: Queryable,
  { requests, attempts }: { requests: readonly RequestRow[]; attempts: readonly AttemptRow[] },
): Promise<void> {
  const sql = 'SELECT until_ms::float8 AS "untilMs" FROM summed_days';
  const [summed] = await select(transaction, SummedDays, sql);
  const untilMs = summed?.untilMs ?? 0;
  const requestSums = sumRequests(requests);
  await addGroups(transaction, requestSums, { ...ADD_REQUESTS, untilMs });
  await addGroups(transaction, sumAttempts(attempts), { ...ADD_ATTEMPTS, untilMs });
  const paid = requestSums.filter(({ spend }) => spend > 0n);
  if (paid.length === 0) return;
  await transaction.query(ADD_TO_MONTHS, [
    arrayText(paid.map(({ hourMs }) => monthOf(hourMs))),
    arrayText(paid.map(({ names: [organization = ''] }) => organization)),
    arrayText(paid.map(({ spend }) => spend)),
  ]);
}

/**
 * Adds up the hours of days that have passed. A batch then changes only half as many rows as if it added to the sums of
 * its day, too. A record that arrives after its day was added up is added to the sum of the day at once.
 */
export async function sumPassedDays(transaction: Queryable, todayMs: number): Promise<void> {
  await transaction.query(`
    INSERT INTO usage_daily (begins_ms, ${NAMES}, ${ALL_SUMS.join(', ')})
    SELECT begins_ms / ${DAY_MS} * ${DAY_MS}, ${NAMES},
           ${ALL_SUMS.map((name) => `sum(${name})`).join(', ')}
    FROM usage_hourly
    WHERE begins_ms >= (SELECT until_ms FROM summed_days) AND begins_ms < ${todayMs}
    GROUP BY 1, 2, 3, 4, 5, 6`);
  await transaction.query('UPDATE summed_days SET until_ms = $1 WHERE until_ms < $1', [todayMs]);
}

interface AddStatements {
  /** The sums that rows of this kind have. */
  readonly sums: readonly string[];
  readonly toHours: string;
  readonly toDays: string;
}

/** Adds to the sums of hours, and to those of days that were already added up. */
async function addGroups(
  transaction: Queryable,
  groups: readonly SummedRows[],
  { sums, toHours, toDays, untilMs }: AddStatements & { readonly untilMs: number },
): Promise<void> {
  if (groups.length > 0) await transaction.query(toHours, parametersOf(groups, sums));
  const late = groups.filter(({ hourMs }) => hourMs < untilMs);
  if (late.length > 0) await transaction.query(toDays, parametersOf(late, sums));
}

/** An array for each column, which costs the database less than JSON. */
function parametersOf(groups: readonly SummedRows[], sums: readonly string[]): string[] {
  return [
    arrayText(groups.map(({ hourMs }) => hourMs)),
    ...SUMMED_BY.map((_, index) => arrayText(groups.map(({ names }) => names[index] ?? ''))),
    ...sums.map((name, index) =>
      arrayText(groups.map((group) => (name === 'spend' ? group.spend : (group.sums[index] ?? 0)))),
    ),
  ];
}

function statementsFor(sums: readonly string[]): AddStatements {
  const types = [
    'bigint[]',
    ...SUMMED_BY.map(() => 'text[]'),
    ...sums.map((name) => (name === 'spend' ? 'numeric[]' : 'bigint[]')),
  ];
  const given = `unnest(${types.map((type, index) => `$${index + 1}::text::${type}`).join(', ')})
    AS given (hour_ms, ${NAMES}, ${sums.join(', ')})`;
  const others = ALL_SUMS.filter((name) => !sums.includes(name));
  const addTo = (table: string, selected: string) => `
    INSERT INTO ${table} (begins_ms, ${NAMES}, ${[...sums, ...others].join(', ')})
    ${selected}
    ON CONFLICT (begins_ms, ${NAMES}) DO UPDATE SET
      ${sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')}`;
  const zeros = others.map(() => ', 0').join('');
  return {
    sums,
    toHours: addTo(
      'usage_hourly',
      `SELECT hour_ms, ${NAMES}, ${sums.join(', ')}${zeros} FROM ${given}`,
    ),
    // Several hours may be of one day.
    toDays: addTo(
      'usage_daily',
      `SELECT hour_ms / ${DAY_MS} * ${DAY_MS}, ${NAMES},
         ${sums.map((name) => `sum(${name})`).join(', ')}${zeros}
       FROM ${given} GROUP BY 1, 2, 3, 4, 5, 6`,
    ),
  };
}
