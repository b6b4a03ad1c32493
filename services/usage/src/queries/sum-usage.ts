import * as z from 'zod';
import { select, type Queryable } from '../store/database.ts';
import { DAY_MS, HOUR_MS } from '../store/partitions.ts';
import { columnOf } from './request-info.ts';

export const SUMS = [
  'requests',
  'completed',
  'cancelled',
  'failed',
  'refused',
  'inputTokens',
  'cachedTokens',
  'outputTokens',
  'reasoningTokens',
  'deliveredTokens',
  'estimatedTokens',
  'countedTokens',
  'attempts',
  'generatedTokens',
  /** Requests whose price was not known. */
  'unpriced',
] as const;
export type UsageSums = Record<(typeof SUMS)[number], number> & {
  /** In units of 10⁻¹² of the currency. */
  readonly spend: string;
};
export const SORTS = [...SUMS, 'spend'] as const;

const SummedDays = z.object({ untilMs: z.number() });

/** The SQL expression of each dimension. */
const DIMENSIONS = {
  organization: 'organization',
  project: 'project',
  key: 'credential',
  model: 'model',
  target: 'target',
  month: `extract(epoch FROM date_trunc('month', to_timestamp(begins_ms / 1000) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') * 1000`,
  day: `begins_ms / ${DAY_MS} * ${DAY_MS}`,
  hour: `begins_ms / ${HOUR_MS} * ${HOUR_MS}`,
} as const;
export type Dimension = keyof typeof DIMENSIONS;
const PERIODS: ReadonlySet<Dimension> = new Set(['month', 'day', 'hour']);
export const DIMENSION_NAMES = [
  'organization',
  'project',
  'key',
  'model',
  'target',
  'month',
  'day',
  'hour',
] as const;

export interface UsageQuery {
  readonly by: readonly Dimension[];
  /** An empty text here, or in the three fields below, does not restrict the query. */
  readonly organization: string;
  readonly project: string;
  readonly credential: string;
  readonly model: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The sum whose largest values come first. If undefined, groups are sorted by name. */
  readonly sort: (typeof SORTS)[number] | undefined;
  readonly limit: number;
  /** Sums of earlier hours have been removed. */
  readonly hoursFromMs: number;
}

export interface UsageGroup {
  readonly names: readonly string[];
  readonly sums: UsageSums;
}

export interface SummedUsage {
  readonly groups: UsageGroup[];
  readonly total: UsageSums;
  /** The time that was asked for, rounded to whole hours or days. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly groupsLeftOut: number;
}

const SumsRow = z.object({
  requests: z.number(),
  completed: z.number(),
  cancelled: z.number(),
  failed: z.number(),
  refused: z.number(),
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  deliveredTokens: z.number(),
  estimatedTokens: z.number(),
  countedTokens: z.number(),
  attempts: z.number(),
  generatedTokens: z.number(),
  unpriced: z.number(),
  spend: z.string(),
}) satisfies z.ZodType<UsageSums>;
const Name = z.union([z.string(), z.number()]);
const GroupRow = SumsRow.extend({ name1: Name, name2: Name, found: z.number() });

const SUM_FIELDS = [
  ...SUMS.map((name) => `coalesce(sum(${columnOf(name)}), 0)::float8 AS "${name}"`),
  // An amount of money can exceed 2⁵³ units, so it is read as text.
  'coalesce(sum(spend), 0)::text AS spend',
].join(', ');

/** Adds up daily sums for the days that have passed, and hourly sums for the rest of the time. */
export async function sumUsage(database: Queryable, query: UsageQuery): Promise<SummedUsage> {
  const [summed] = await select(
    database,
    SummedDays,
    'SELECT until_ms::float8 AS "untilMs" FROM summed_days',
  );
  const span = spanOf(query, summed?.untilMs ?? 0);
  const parameters: string[] = [];
  const conditions = (['organization', 'project', 'credential', 'model'] as const)
    .filter((column) => query[column] !== '')
    .map((column) => `${column} = $${parameters.push(query[column])}`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const source = `
    (SELECT * FROM usage_daily WHERE begins_ms >= ${span.daysFromMs} AND begins_ms < ${span.daysUntilMs}
     UNION ALL
     SELECT * FROM usage_hourly
     WHERE begins_ms >= ${span.sinceMs} AND begins_ms < ${span.daysFromMs}
        OR begins_ms >= ${span.daysUntilMs} AND begins_ms < ${span.untilMs}) AS periods ${where}`;
  const [total] = await select(
    database,
    SumsRow,
    `SELECT ${SUM_FIELDS} FROM ${source}`,
    parameters,
  );
  const groups = await select(
    database,
    GroupRow,
    `SELECT ${dimension(query.by[0])} AS name1, ${dimension(query.by[1])} AS name2,
       count(*) OVER ()::float8 AS found, ${SUM_FIELDS}
     FROM ${source} GROUP BY 1, 2
     ORDER BY ${query.sort === undefined ? '' : `sum(${columnOf(query.sort)}) DESC, `} 1, 2 LIMIT ${query.limit}`,
    parameters,
  );
  return {
    groups: groups.map((row) => ({
      names: query.by.map((_, index) => groupName(index === 0 ? row.name1 : row.name2)),
      sums: SumsRow.parse(row),
    })),
    total:
      total ?? SumsRow.parse({ ...Object.fromEntries(SUMS.map((name) => [name, 0])), spend: '0' }),
    sinceMs: span.sinceMs,
    untilMs: span.untilMs,
    groupsLeftOut: (groups[0]?.found ?? 0) - groups.length,
  };
}

interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Between these two times, daily sums are added up. Before and after them, hourly sums. */
  readonly daysFromMs: number;
  readonly daysUntilMs: number;
}

function spanOf({ by, sinceMs, untilMs, hoursFromMs }: UsageQuery, summedUntilMs: number): Span {
  // Where hourly sums have been removed, times are rounded to days.
  const roundDown = (timeMs: number) => {
    const stepMs = timeMs < hoursFromMs ? DAY_MS : HOUR_MS;
    return Math.floor(timeMs / stepMs) * stepMs;
  };
  const since = roundDown(sinceMs);
  const stepMs = untilMs <= hoursFromMs ? DAY_MS : HOUR_MS;
  const until = Math.max(since, Math.ceil(untilMs / stepMs) * stepMs);
  if (by.includes('hour')) {
    return { sinceMs: since, untilMs: until, daysFromMs: until, daysUntilMs: until };
  }
  const daysFromMs = Math.min(until, Math.ceil(since / DAY_MS) * DAY_MS);
  const daysUntilMs = Math.max(
    daysFromMs,
    Math.min(summedUntilMs, Math.floor(until / DAY_MS) * DAY_MS),
  );
  return { sinceMs: since, untilMs: until, daysFromMs, daysUntilMs };
}

function dimension(by: Dimension | undefined): string {
  if (by === undefined) return "''";
  const expression = DIMENSIONS[by];
  return PERIODS.has(by) ? `(${expression})::float8` : expression;
}

/** A number is the beginning of a period. */
function groupName(value: string | number): string {
  return typeof value === 'number' ? `${new Date(value).toISOString().slice(0, 19)}Z` : value;
}
