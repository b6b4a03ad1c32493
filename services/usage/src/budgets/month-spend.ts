import * as z from 'zod';
import { select, type Queryable } from '../store/database.ts';

const SpendRow = z.object({ organization: z.string(), spend: z.string() });

/** What each of these organizations has spent in a month, in units of 10⁻¹² of the currency. */
export async function readMonthSpend(
  database: Queryable,
  month: string,
  organizations: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  if (organizations.length === 0) return new Map();
  const rows = await select(
    database,
    SpendRow,
    `SELECT organization, spend::text AS spend FROM spend_monthly
     WHERE month = $1 AND organization IN (SELECT json_array_elements_text($2::json))`,
    [month, JSON.stringify(organizations)],
  );
  return new Map(rows.map(({ organization, spend }) => [organization, BigInt(spend)]));
}
