import type { Bus, LedgerExtent } from '@sluice/bus';
import { LedgerRecord, type Subjects } from '@sluice/contracts';
import { RequestJoin, type JoinedRequest } from './joined-requests.ts';

export interface RequestsQuery {
  /** All of them unless given. */
  readonly organization?: string | undefined;
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Told of each of them. */
  readonly onRequest: (request: JoinedRequest) => void;
}

/** What the ledger itself is like, and what could not be told of. */
export interface ReadLedger {
  readonly ledger: LedgerExtent & { readonly stream: string };
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
  { organization, sinceMs, nowMs, onRequest }: RequestsQuery,
): Promise<ReadLedger> {
  const stream = subjects.ledgerStream();
  const join = new RequestJoin({ sinceMs, onRequest });
  let unreadable = 0;
  const records = bus.readLedger({
    stream,
    subjects: subjects.ledgers(organization),
    sinceMs: sinceMs - CLOCK_MARGIN_MS,
  });
  for await (const { text, storedAtMs } of records) {
    const record = readRecord(text);
    if (record === undefined) unreadable += 1;
    else join.add(record, storedAtMs);
  }
  // Looked at last, so that it tells of what was removed while the rest was read.
  const ledger = { stream, ...(await bus.ledgerExtent(stream)) };
  return { ...join.finish(nowMs), unreadable, ledger };
}

function readRecord(text: string): LedgerRecord | undefined {
  try {
    return LedgerRecord.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
