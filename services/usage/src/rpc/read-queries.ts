import { RpcError, type ListRequestsRequest, type SumUsageRequest } from '@sluice/rpc';
import * as z from 'zod';
import type { PagePosition, RequestQuery } from '../queries/list-requests.ts';
import { columnOf } from '../queries/request-info.ts';
import { DIMENSION_NAMES, SORTS, type UsageQuery } from '../queries/sum-usage.ts';
import { DAY_MS } from '../store/partitions.ts';

const DEFAULT_REQUESTS = 50;
const MOST_REQUESTS = 1_000;
const DEFAULT_GROUPS = 1_000;
const MOST_GROUPS = 10_000;
const MOST_DIMENSIONS = 2;
const MOST_CREDENTIALS = 1_000;
/** The largest time that a JavaScript date can have. */
const MOST_MS = 8.64e15;

export function requestQuery(
  request: ListRequestsRequest,
  { after, wallClock }: { after: PagePosition | undefined; wallClock: () => number },
): RequestQuery {
  const { organization, project, credential, model, worker, outcomes, codes, statuses } = request;
  // A search by worker reads all attempts of the worker in the given time, so without a beginning it covers one day.
  const defaultSince = () =>
    worker === '' ? undefined : (request.untilMs ?? wallClock()) - DAY_MS;
  return {
    organization,
    project,
    credential,
    model,
    worker,
    outcomes,
    codes,
    statuses,
    sinceMs: request.sinceMs === undefined ? defaultSince() : readTime(request.sinceMs),
    untilMs: request.untilMs === undefined ? undefined : readTime(request.untilMs),
    limit: readLimit(request.limit, DEFAULT_REQUESTS, MOST_REQUESTS),
    after,
    afterArrival: request.afterArrival,
  };
}

export function usageQuery(
  request: SumUsageRequest,
  { hoursFromMs, wallClock }: { hoursFromMs: number; wallClock: () => number },
): UsageQuery {
  const { organization, project, credential, model } = request;
  if (request.by.length > MOST_DIMENSIONS) throw invalid('by has at most two dimensions');
  const by = request.by.map((name) => {
    const dimension = DIMENSION_NAMES.find((known) => known === name);
    if (dimension === undefined) throw invalid(`by must be one of ${DIMENSION_NAMES.join(', ')}`);
    return dimension;
  });
  const sort = SORTS.find((name) => columnOf(name) === request.sort);
  if (sort === undefined && request.sort !== '') {
    throw invalid(`sort must be one of ${SORTS.map(columnOf).join(', ')}`);
  }
  const untilMs = request.untilMs === 0 ? wallClock() + DAY_MS : readTime(request.untilMs);
  return {
    by,
    organization,
    project,
    credential,
    model,
    sinceMs: readTime(request.sinceMs),
    untilMs,
    sort,
    limit: readLimit(request.limit, DEFAULT_GROUPS, MOST_GROUPS),
    hoursFromMs,
  };
}

const Page = z.tuple([z.int(), z.string()]);

/** Encodes the last request of a page as the `page` of the next call. Empty if there is no further page. */
export function writePage(position: PagePosition | undefined): string {
  if (position === undefined) return '';
  const { receivedAtMs, id } = position;
  return Buffer.from(JSON.stringify([receivedAtMs, id])).toString('base64url');
}

export function readPage(text: string): PagePosition | undefined {
  if (text === '') return undefined;
  try {
    const [receivedAtMs, id] = Page.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { receivedAtMs, id };
  } catch (cause) {
    throw new RpcError('invalid_argument', 'page is not from an earlier reply', { cause });
  }
}

export function readCredentials(credentials: readonly string[]): readonly string[] {
  if (credentials.length <= MOST_CREDENTIALS) return credentials;
  throw invalid(`at most ${MOST_CREDENTIALS} credentials can be named`);
}

function readTime(timeMs: number): number {
  if (timeMs > MOST_MS) throw invalid('a time is too large');
  return timeMs;
}

function readLimit(limit: number, fallback: number, most: number): number {
  return limit === 0 ? fallback : Math.min(limit, most);
}

function invalid(message: string): RpcError {
  return new RpcError('invalid_argument', message);
}
