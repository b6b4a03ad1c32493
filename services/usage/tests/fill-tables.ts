import type { Database } from '../src/store/database.ts';
import { dayOf, DAY_MS, HOUR_MS } from '../src/store/partitions.ts';
import type { UsageStore } from '../src/store/usage-store.ts';

export interface Filling {
  /** Half of them are requests, and half are attempts. */
  readonly records: number;
  readonly days: number;
  readonly organizations: number;
  /** The day after the last one. */
  readonly untilMs: number;
}

/**
 * A number from 0 to 1 that depends only on `i`. Its third power chooses the organization, so that a few organizations
 * have most of the requests.
 */
const SHARE = '(i * 7919 % 10007) / 10007.0';

/**
 * Fills the tables with made-up requests and attempts, by SQL: writing as many records through the service would take
 * an hour. One request in 50 failed, and one in 25 was refused.
 */
export async function fillTables(
  database: Database,
  store: UsageStore,
  { records, days, organizations, untilMs }: Filling,
  say: (line: string) => void,
): Promise<void> {
  const perDay = Math.ceil(records / 2 / days);
  for (let day = days; day > 0; day -= 1) {
    const fromMs = dayOf(untilMs) - day * DAY_MS;
    await store.createDays([fromMs]);
    await database.transaction(async (transaction) => {
      for (const sql of [requestsOf, attemptsOf, sumsOfRequests, sumsOfAttempts]) {
        await transaction.query(sql({ fromMs, perDay, organizations }));
      }
    });
    say(`${days - day + 1}/${days} days`);
  }
  await store.removeOld();
  await database.query('ANALYZE');
}

interface Day {
  readonly fromMs: number;
  readonly perDay: number;
  readonly organizations: number;
}

/** Selects the columns that requests and attempts have in common. */
function rowsOf({ fromMs, perDay, organizations }: Day): string {
  return `
    SELECT i, ${fromMs} + i * ${DAY_MS} / ${perDay} AS time_ms,
           md5('${fromMs}-' || i)::uuid::text AS id,
           'organization-' || floor(${organizations} * power(${SHARE}, 3)) AS organization,
           CASE WHEN i % 3 = 0 THEN 'small' ELSE 'large' END AS model,
           i % 25 = 7 AS refused, i % 50 = 11 AS failed, i % 400 AS tokens
    FROM generate_series(0::bigint, ${perDay - 1}) AS i`;
}

function requestsOf(day: Day): string {
  return `
    INSERT INTO requests (id, received_ms, organization, project, credential, operation, model,
      target, stream, outcome, code, gateway, offers, refused_offers, estimated_tokens,
      delivered_tokens, counted, input_tokens, cached_tokens, output_tokens, reasoning_tokens,
      first_token_ms, duration_ms, status, details, spend, arrival)
    SELECT id, time_ms, organization, organization || '-app', 'key_' || organization, 'completions',
      model, 'default', true,
      CASE WHEN refused THEN 'refused' WHEN failed THEN 'failed' ELSE 'completed' END,
      CASE WHEN refused THEN 'rate_limit_exceeded' WHEN failed THEN 'upstream_unavailable' ELSE '' END,
      'gateway' || i % 3, 1, 0, 90, tokens, NOT refused, 100, 20, tokens, 5, 40, 900,
      CASE WHEN refused THEN 429 WHEN failed THEN 502 ELSE 200 END,
      '{"limits":{"tokens":90,"windows":{"requests_per_minute":[6000,5990],"tokens_per_day":[9000000,8000000]}},'
        || '"offers":[{"worker":"default.w_1","worker_name":"gpu-1","target":"default","after_ms":2,"took_ms":890,"ended":"finished"}]}',
      tokens * 600000, ${day.fromMs} + i
    FROM (${rowsOf(day)}) AS made`;
}

function attemptsOf(day: Day): string {
  return `
    INSERT INTO attempts (id, request, accepted_ms, organization, project, model, worker, gateway,
      ended, reason, generated_tokens, queued_ms, ran_ms, worker_name, host, runtime)
    SELECT id || '-1', id, time_ms + 2, organization, organization || '-app', model,
      'default.w_' || i % 16, 'gateway' || i % 3,
      CASE WHEN failed THEN 'failed' ELSE 'finished' END,
      CASE WHEN failed THEN 'upstream_unavailable' ELSE '' END,
      tokens, 1, 880, 'gpu-' || i % 16, 'machine-' || i % 4, '127.0.0.1:8000'
    FROM (${rowsOf(day)}) AS made`;
}

function sumsOfRequests({ fromMs }: Day): string {
  return `
    INSERT INTO usage_hourly (begins_ms, organization, project, credential, model, target, requests,
      completed, cancelled, failed, refused, input_tokens, cached_tokens, output_tokens,
      reasoning_tokens, delivered_tokens, estimated_tokens, counted_tokens, attempts,
      generated_tokens, spend, unpriced)
    SELECT received_ms / ${HOUR_MS} * ${HOUR_MS}, organization, project, credential, model, target,
      count(*), count(*) FILTER (WHERE outcome = 'completed'), 0,
      count(*) FILTER (WHERE outcome = 'failed'), count(*) FILTER (WHERE outcome = 'refused'),
      sum(input_tokens), sum(cached_tokens), sum(output_tokens), sum(reasoning_tokens),
      sum(delivered_tokens), sum(estimated_tokens), sum(input_tokens), 0, 0, sum(spend), 0
    FROM requests WHERE received_ms >= ${fromMs} AND received_ms < ${fromMs + DAY_MS}
    GROUP BY 1, 2, 3, 4, 5, 6`;
}

function sumsOfAttempts({ fromMs }: Day): string {
  return `
    INSERT INTO usage_hourly (begins_ms, organization, project, credential, model, target, requests,
      completed, cancelled, failed, refused, input_tokens, cached_tokens, output_tokens,
      reasoning_tokens, delivered_tokens, estimated_tokens, counted_tokens, attempts,
      generated_tokens)
    SELECT accepted_ms / ${HOUR_MS} * ${HOUR_MS}, organization, project, '', model, '',
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, count(*), sum(generated_tokens)
    FROM attempts WHERE accepted_ms >= ${fromMs} AND accepted_ms < ${fromMs + DAY_MS}
    GROUP BY 1, 2, 3, 4, 5, 6`;
}
