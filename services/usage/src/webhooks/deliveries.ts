import * as z from 'zod';
import { select, type Queryable } from '../store/database.ts';

/** A message that is still to be delivered to one receiver. */
export const Delivery = z.object({
  event: z.string(),
  url: z.string(),
  organization: z.string(),
  body: z.string(),
  createdMs: z.number(),
  attempts: z.number(),
});
export type Delivery = z.infer<typeof Delivery>;

const FIELDS = `event, url, organization, body, created_ms::float8 AS "createdMs", attempts::float8 AS attempts`;

export async function addDelivery(
  transaction: Queryable,
  { event, url, organization, body, createdMs }: Omit<Delivery, 'attempts'>,
): Promise<void> {
  await transaction.query(
    `INSERT INTO webhook_deliveries (event, url, organization, body, created_ms, next_ms)
     VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING`,
    [event, url, organization, body, createdMs],
  );
}

/**
 * Takes deliveries that are due, and counts an attempt for each. If this process ends before it knows the outcome of
 * the attempt, the delivery is due again at `againMs`.
 */
export async function takeDue(
  database: Queryable,
  { nowMs, againMs, limit }: { nowMs: number; againMs: number; limit: number },
): Promise<Delivery[]> {
  return select(
    database,
    Delivery,
    `UPDATE webhook_deliveries SET next_ms = $1, attempts = attempts + 1
     WHERE (event, url) IN (
       SELECT event, url FROM webhook_deliveries WHERE next_ms <= $2 ORDER BY next_ms LIMIT ${limit})
     AND next_ms <= $2 RETURNING ${FIELDS}`,
    [againMs, nowMs],
  );
}

export async function retryAt(
  database: Queryable,
  { event, url }: Delivery,
  nextMs: number,
): Promise<void> {
  await database.query('UPDATE webhook_deliveries SET next_ms = $3 WHERE event = $1 AND url = $2', [
    event,
    url,
    nextMs,
  ]);
}

/** Removes a delivery that has succeeded or was given up. */
export async function removeDelivery(database: Queryable, { event, url }: Delivery): Promise<void> {
  await database.query('DELETE FROM webhook_deliveries WHERE event = $1 AND url = $2', [
    event,
    url,
  ]);
}

const Waiting = z.object({ waiting: z.number() });

export async function countWaiting(database: Queryable): Promise<number> {
  const sql = 'SELECT count(*)::float8 AS waiting FROM webhook_deliveries';
  const [found] = await select(database, Waiting, sql);
  return found?.waiting ?? 0;
}
