import { waitUntil } from '@sluice/devkit';
import { expect } from 'vitest';
import type { BusWitness, StoredRecords } from './bus-witness.ts';
import type { Reply } from './completion-client.ts';
import type { Ending } from './judge-reply.ts';

const OUTCOMES: Partial<Record<Ending, string>> = {
  whole: 'completed',
  'http error': 'failed',
  'error event': 'failed',
};

export interface AuditedRequests {
  readonly organization: string;
  readonly replies: readonly Reply[];
  /** Attempts that were seen to be accepted. */
  readonly accepted: ReadonlySet<string>;
  /** Whether the gateway that served them kept running, so that it wrote a record of each request. */
  readonly gatewaySurvived: boolean;
  /** Whether an attempt may have no record, because its worker was killed before it could write one. */
  readonly mayBeLost?: (attempt: string) => boolean;
}

/**
 * Checks that every request of a gateway that survived, and every accepted attempt, has exactly one record. The record
 * of a request must agree with what the client received.
 */
export async function auditLedger(
  witness: BusWitness,
  { organization, replies, accepted, gatewaySurvived, mayBeLost = () => false }: AuditedRequests,
): Promise<StoredRecords> {
  const wanted = [...accepted].filter((name) => !mayBeLost(name));
  const stored = await waitUntil(
    async () => {
      const records = await witness.stored(organization);
      const written = new Set(records.attempts.map(({ id }) => id));
      const isAll = !gatewaySurvived || records.requests.length >= replies.length;
      return isAll && wanted.every((name) => written.has(name)) ? records : undefined;
    },
    { what: 'every record', timeoutMs: 30_000, everyMs: 200 },
  );
  const { requests, attempts } = stored;
  for (const records of [requests, attempts]) {
    const ids = records.map(({ id }) => id);
    expect(ids).toHaveLength(new Set(ids).size);
  }
  const requestIds = new Set(requests.map(({ id }) => id));
  const seen = replies.filter(({ requestId }) => requestId !== undefined);
  if (gatewaySurvived) {
    expect(requests).toHaveLength(replies.length);
    const outcomes = new Map(requests.map(({ id, outcome }) => [id, outcome]));
    const expected = new Map(seen.map(({ requestId, ending }) => [requestId, OUTCOMES[ending]]));
    expect(outcomes).toEqual(expected);
    expect(attempts.filter(({ request }) => !requestIds.has(request))).toEqual([]);
  } else {
    const known = new Set(seen.map(({ requestId }) => requestId));
    expect([...requestIds].filter((id) => !known.has(id))).toEqual([]);
  }
  return stored;
}
