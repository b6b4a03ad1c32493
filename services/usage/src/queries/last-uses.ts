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
 * The last use of each of these credentials. It is exact as long as single requests are kept, and the beginning of the
 * day after that. A credential that was never used, or not within the kept time, is left out.
 *
 * The sums tell the hour, and the requests of the organization in that hour tell the moment. An index on the keys of
 * single requests would cost more, with each record.
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
