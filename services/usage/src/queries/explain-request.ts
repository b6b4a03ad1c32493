import { RequestRecord } from '@sluice/contracts';
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
  workerName: z.string(),
  host: z.string(),
  runtime: z.string(),
});
type AttemptInfo = z.infer<typeof AttemptInfo>;

const ExplainedRow = RequestInfo.extend({ details: z.string().nullable() });
const Details = RequestRecord.pick({
  limits: true,
  offers: true,
  scheduling_class: true,
  weight: true,
});
export type RequestDetails = z.infer<typeof Details>;

export interface ExplainedRequest {
  readonly request: RequestInfo | undefined;
  readonly details: RequestDetails;
  readonly attempts: AttemptInfo[];
}

/** What is known about a request. Undefined if neither the request nor an attempt is in the tables. */
export async function explainRequest(
  database: Queryable,
  id: string,
): Promise<ExplainedRequest | undefined> {
  const [row] = await select(
    database,
    ExplainedRow,
    `SELECT ${selectFields(ExplainedRow)} FROM requests WHERE id = $1`,
    [id],
  );
  const attempts = await select(
    database,
    AttemptInfo,
    // The id of an attempt is `<request>-<number>`. '.' is the character after '-' in ASCII, so the two conditions
    // find every id with this beginning.
    `SELECT ${selectFields(AttemptInfo)} FROM attempts
     WHERE id > $1::text || '-' AND id < $1::text || '.' ORDER BY accepted_ms, id`,
    [id],
  );
  if (row === undefined) {
    return attempts.length === 0 ? undefined : { request: undefined, details: {}, attempts };
  }
  const { details, ...request } = row;
  return { request, details: details === null ? {} : Details.parse(JSON.parse(details)), attempts };
}
