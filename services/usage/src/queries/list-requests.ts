import * as z from 'zod';
import { select, type Queryable } from '../store/database.ts';
import { HOUR_MS } from '../store/partitions.ts';
import { RequestInfo, selectFields } from './request-info.ts';

/** An empty text or list does not restrict the search. */
export interface RequestFilter {
  readonly organization: string;
  readonly project: string;
  readonly credential: string;
  readonly model: string;
  readonly worker: string;
  readonly outcomes: readonly string[];
  readonly codes: readonly string[];
  /** HTTP statuses. */
  readonly statuses: readonly number[];
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
}

export interface RequestQuery extends RequestFilter {
  readonly limit: number;
  /** Continues after this request. */
  readonly after: PagePosition | undefined;
  /**
   * Selects requests with a higher arrival number, and sorts by it. The numbers grow in the order in which requests are
   * written to the tables.
   */
  readonly afterArrival: number | undefined;
}

/** The last request of a page. */
export interface PagePosition {
  readonly receivedAtMs: number;
  readonly id: string;
}

export interface RequestPage {
  readonly requests: RequestInfo[];
  readonly next: PagePosition | undefined;
  /** The `afterArrival` of the next call, for a caller that wants to see new requests. */
  readonly arrival: number;
}

const Arrival = z.object({ arrival: z.number() });
const ListedRequest = RequestInfo.extend(Arrival.shape);

/**
 * A search by worker looks for attempts that begin up to this long after their request was received. Because the clocks
 * of machines differ, it also finds attempts that seem to begin before it.
 */
const ATTEMPT_WITHIN_MS = 24 * HOUR_MS;

/** Lists requests, newest first. With `afterArrival`, in the order of their arrival numbers. */
export async function listRequests(database: Queryable, query: RequestQuery): Promise<RequestPage> {
  const { limit, after, afterArrival } = query;
  const parameters: (string | number)[] = [];
  const parameter = (value: string | number) => `$${parameters.push(value)}`;
  const conditions = conditionsOf(query, parameter);
  if (after !== undefined) {
    const receivedMs = `${parameter(after.receivedAtMs)}::bigint`;
    // Only the first condition can use the index; the second one compares the ids of requests of the same time.
    conditions.push(`received_ms <= ${receivedMs}`);
    conditions.push(`(received_ms, id) < (${receivedMs}, ${parameter(after.id)})`);
  }
  if (afterArrival !== undefined) conditions.push(`arrival > ${parameter(afterArrival)}`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const order = afterArrival === undefined ? 'received_ms DESC, id DESC' : 'arrival';
  // Read before the requests. If a request is written in between, the next call may list it again, but no call misses
  // it.
  const newest = await newestArrival(database);
  const rows = await select(
    database,
    ListedRequest,
    `SELECT ${selectFields(ListedRequest)} FROM requests ${where}
     ORDER BY ${order} LIMIT ${limit + 1}`,
    parameters,
  );
  const requests = rows.slice(0, limit);
  const last = requests.at(-1);
  const isCut = rows.length > limit;
  return {
    requests,
    next:
      isCut && last !== undefined ? { receivedAtMs: last.receivedAtMs, id: last.id } : undefined,
    arrival: afterArrival === undefined || last === undefined ? newest : last.arrival,
  };
}

async function newestArrival(database: Queryable): Promise<number> {
  const sql = 'SELECT coalesce(max(arrival), 0)::float8 AS arrival FROM requests';
  const [newest] = await select(database, Arrival, sql);
  return newest?.arrival ?? 0;
}

function conditionsOf(
  filter: RequestFilter,
  parameter: (value: string | number) => string,
): string[] {
  const { worker, sinceMs, untilMs } = filter;
  const conditions: string[] = [];
  for (const column of ['organization', 'project', 'credential', 'model'] as const) {
    if (filter[column] !== '') conditions.push(`${column} = ${parameter(filter[column])}`);
  }
  const lists = { outcome: filter.outcomes, code: filter.codes, status: filter.statuses };
  for (const [column, values] of Object.entries(lists)) {
    if (values.length === 0) continue;
    conditions.push(`${column} IN (${values.map((value) => parameter(value)).join(', ')})`);
  }
  if (sinceMs !== undefined) conditions.push(`received_ms >= ${parameter(sinceMs)}`);
  if (untilMs !== undefined) conditions.push(`received_ms < ${parameter(untilMs)}`);
  if (worker !== '') {
    const within = [`worker_name = ${parameter(worker)}`];
    if (sinceMs !== undefined) {
      within.push(`accepted_ms >= ${parameter(sinceMs - ATTEMPT_WITHIN_MS)}`);
    }
    if (untilMs !== undefined) {
      within.push(`accepted_ms < ${parameter(untilMs + ATTEMPT_WITHIN_MS)}`);
    }
    conditions.push(`id IN (SELECT request FROM attempts WHERE ${within.join(' AND ')})`);
  }
  return conditions;
}
