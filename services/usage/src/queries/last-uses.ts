import * as z from 'zod';
import { select, type Queryable } from '../store/database.ts';
import { HOUR_MS } from '../store/partitions.ts';

/** When a key or a playground credential was last used. */
export interface LastUse {
  readonly credential: string;
  readonly lastUsedAtMs: number;
}

const LastUseRow = z.object({ credential: z.string(), lastUsedAtMs: z.number() });

/**
 * The last use of each of these credentials. The time is exact as long as single requests are kept. After that, it is
 * the beginning of the day. A credential that was not used within the kept time is left out.
 *
 * The hour of the last use is read from the sums, and the exact time from the organization's requests of that hour. An
 * index of requests by credential would make this simpler, but would make every write more expensive.
 */
export function lastUses(database: Queryable, credentials: readonly string[]): Promise<LastUse[]> {
  return select(
    database,
    LastUseRow,
    `SELECT given.credential, coalesce(
       (SELECT received_ms FROM requests
        WHERE organization = period.organization AND requests.credential = given.credential
          AND received_ms >= period.begins_ms AND received_ms < period.begins_ms + ${HOUR_MS}
        ORDER BY received_ms DESC LIMIT 1),
       period.begins_ms)::float8 AS "lastUsedAtMs"
     FROM json_array_elements_text($1::json) WITH ORDINALITY AS given (credential, place)
     CROSS JOIN LATERAL (
       (SELECT begins_ms, organization FROM usage_hourly
        WHERE usage_hourly.credential = given.credential ORDER BY begins_ms DESC LIMIT 1)
       UNION ALL
       (SELECT begins_ms, organization FROM usage_daily
        WHERE usage_daily.credential = given.credential ORDER BY begins_ms DESC LIMIT 1)
       ORDER BY begins_ms DESC LIMIT 1
     ) AS period
     ORDER BY given.place`,
    [JSON.stringify(credentials)],
  );
}
