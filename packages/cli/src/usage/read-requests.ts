import type { Bus, LedgerExtent } from '@sluice/bus';
import { LedgerRecord, type Subjects } from '@sluice/contracts';
import { RequestJoin, type JoinResult } from './joined-requests.ts';

export interface RequestsQuery {
  /** All of them unless given. */
  readonly organization?: string | undefined;
  readonly sinceMs: number;
  readonly nowMs: number;
}

export interface ReadRequests extends JoinResult {
  readonly ledger: LedgerExtent & { readonly stream: string };
  /** Records that this version cannot read. */
  readonly unreadable: number;
}

/** The clocks of gateways, workers and NATS differ by less. */
const CLOCK_MARGIN_MS = 60_000;

/** What the ledger holds of the requests received since a time. */
export async function readRequests(
  bus: Bus,
  subjects: Subjects,
  { organization, sinceMs, nowMs }: RequestsQuery,
): Promise<ReadRequests> {
  const stream = subjects.ledgerStream();
  const join = new RequestJoin();
  let unreadable = 0;
  const records = bus.readLedger({
    stream,
    subjects: subjects.ledgers(organization),
    sinceMs: sinceMs - CLOCK_MARGIN_MS,
  });
  for await (const { text } of records) {
    const record = readRecord(text);
    if (record === undefined) unreadable += 1;
    else join.add(record);
  }
  // Looked at last, so that it tells of what was removed while the rest was read.
  const ledger = { stream, ...(await bus.ledgerExtent(stream)) };
  return { ...join.result({ sinceMs, nowMs }), unreadable, ledger };
}

function readRecord(text: string): LedgerRecord | undefined {
  try {
    return LedgerRecord.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
