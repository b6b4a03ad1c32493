import type { Bus, LedgerExtent } from '@sluice/bus';
import { LedgerRecord, type LedgerPlace, type Subjects } from '@sluice/contracts';
import type { JoinedRequest } from './held-request.ts';
import { RequestJoin } from './joined-requests.ts';

export interface RequestsQuery {
  /** All of them unless given. */
  readonly organization?: string | undefined;
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Told of each of them. */
  readonly onRequest: (request: JoinedRequest) => void;
}

export type StreamExtent = LedgerExtent & { readonly stream: string };

/** What the ledger itself is like, and what could not be told of. */
export interface ReadLedger {
  readonly ledger: StreamExtent;
  /** Requests that came to nothing; but those of earlier versions are in the ledger's first stream. */
  readonly refusals: StreamExtent;
  /** Records that this version cannot read. */
  readonly unreadable: number;
  /** Requests with attempts whose own record may still come. */
  readonly underWay: number;
}

/** The clocks of gateways, workers and NATS differ by less. */
const CLOCK_MARGIN_MS = 60_000;

/** Tells of the requests received since a time, and holds few of them at once. */
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

/** No request has records in two streams, so each is joined by itself, in the order of its storing. */
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
  // Looked at last, so that it tells of what was removed while the rest was read.
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
