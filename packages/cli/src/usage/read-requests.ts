import type { Bus, LedgerExtent } from '@sluice/bus';
import { LedgerRecord, type LedgerPlace, type Subjects } from '@sluice/contracts';
import type { JoinedRequest } from './held-request.ts';
import { RequestJoin } from './joined-requests.ts';

export interface RequestsQuery {
  /** Undefined selects all organizations. */
  readonly organization?: string | undefined;
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Called once for each request. */
  readonly onRequest: (request: JoinedRequest) => void;
}

export type StreamExtent = LedgerExtent & { readonly stream: string };

/** The extent of the ledger, and counts of what could not be reported. */
export interface ReadLedger {
  readonly ledger: StreamExtent;
  /** The stream of refused requests. Earlier versions recorded them in the first stream. */
  readonly refusals: StreamExtent;
  /** The number of records that this version cannot read. */
  readonly unreadable: number;
  /** The number of requests with attempts whose own record may still come. */
  readonly underWay: number;
}

/** The clocks of gateways, workers and NATS differ by less than this. */
const CLOCK_MARGIN_MS = 60_000;

/** Reports the requests received since a time. Only incomplete and recent requests are held in memory. */
export async function readRequests(
  bus: Bus,
  subjects: Subjects,
  query: RequestsQuery,
): Promise<ReadLedger> {
  const outcomes = await readStream(bus, subjects.outcomes, query);
  const refusals = await readStream(bus, subjects.refusals, query);
  return {
    ledger: outcomes.extent,
    refusals: refusals.extent,
    unreadable: outcomes.unreadable + refusals.unreadable,
    underWay: outcomes.underWay + refusals.underWay,
  };
}

/** All records of a request are in one stream, so each stream is joined separately, in the order of storage. */
async function readStream(
  bus: Bus,
  place: LedgerPlace,
  { organization, sinceMs, nowMs, onRequest }: RequestsQuery,
) {
  const { stream } = place;
  const join = new RequestJoin({ sinceMs, onRequest });
  let unreadable = 0;
  const records = bus.readLedger({
    stream,
    subjects: place.subjects(organization),
    sinceMs: sinceMs - CLOCK_MARGIN_MS,
  });
  for await (const { text, storedAtMs } of records) {
    const record = readRecord(text);
    if (record === undefined) unreadable += 1;
    else join.add(record, storedAtMs);
  }
  const { underWay } = join.finish(nowMs);
  // Read last, so that it includes what was deleted while the records were read.
  const extent = { stream, ...(await bus.ledgerExtent(stream)) };
  return { extent, unreadable, underWay };
}

function readRecord(text: string): LedgerRecord | undefined {
  try {
    return LedgerRecord.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
