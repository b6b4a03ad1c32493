import * as z from 'zod';
import { select, type Queryable } from '../store/database.ts';
import { RequestInfo, selectFields } from './request-info.ts';

const AttemptInfo = z.object({
  id: z.string(),
  acceptedAtMs: z.number(),
  worker: z.string(),
  gateway: z.string(),
  organization: z.string(),
  project: z.string(),
  model: z.string(),
  ended: z.string(),
  reason: z.string(),
  generatedTokens: z.number(),
  queuedMs: z.number(),
  ranMs: z.number(),
});
type AttemptInfo = z.infer<typeof AttemptInfo>;

export interface ExplainedRequest {
  readonly request: RequestInfo | undefined;
  readonly attempts: AttemptInfo[];
}

/** What is known about a request. Undefined if nothing is. */
export async function explainRequest(
  database: Queryable,
  id: string,
): Promise<ExplainedRequest | undefined> {
  const [request] = await select(
    database,
    RequestInfo,
    `SELECT ${selectFields(RequestInfo)} FROM requests WHERE id = $1`,
    [id],
  );
  const attempts = await select(
    database,
    AttemptInfo,
    `SELECT ${selectFields(AttemptInfo)} FROM attempts WHERE request = $1 ORDER BY accepted_ms, id`,
    [id],
  );
  return request === undefined && attempts.length === 0 ? undefined : { request, attempts };
}
