import type { Bus } from './bus.ts';
import type { LedgerCounts, LedgerQuery, StoredRecord } from './ledger.ts';

export interface OutcomeLedgerOptions<Outcome> {
  readonly bus: Bus;
  /** The stream of the ledger, and the subject of each record. */
  readonly place: {
    readonly kind: 'outcomes' | 'refusals';
    readonly stream: string;
    subject(record: Outcome): string;
  };
}

/** Stores the outcome of each request, or of each attempt at a request. */
export interface OutcomeLedger<Outcome> extends AsyncDisposable {
  readonly counts: LedgerCounts;
  record(record: Outcome): void;
}

export function openOutcomeLedger<Outcome extends { readonly id: string }>({
  bus,
  place,
}: OutcomeLedgerOptions<Outcome>): OutcomeLedger<Outcome> {
  const ledger = bus.openLedger({ kind: place.kind, stream: place.stream });
  return {
    get counts() {
      return ledger.counts;
    },
    record: (record) => {
      ledger.append({ id: record.id, subject: place.subject(record), record });
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}

export interface OutcomesQuery extends Pick<LedgerQuery, 'sinceMs'> {
  /** The streams that make up the ledger. */
  readonly ledger: readonly { readonly stream: string; subjects(organization?: string): string }[];
  /** If not given, the records of all organizations are read. */
  readonly organization?: string;
}

/** The records of all streams of the outcome ledger, stream by stream. */
export async function* readOutcomes(
  bus: Pick<Bus, 'readLedger'>,
  { ledger, organization, sinceMs }: OutcomesQuery,
): AsyncGenerator<StoredRecord, void, void> {
  for (const place of ledger) {
    const { stream } = place;
    yield* bus.readLedger({ stream, subjects: place.subjects(organization), sinceMs });
  }
}
