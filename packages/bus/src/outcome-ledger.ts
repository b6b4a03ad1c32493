import type { Bus } from './bus.ts';
import type { LedgerCounts } from './ledger.ts';

export interface OutcomeLedgerOptions<Outcome> {
  readonly bus: Bus;
  /** Where the ledger is, and where in it a record belongs. */
  readonly place: {
    readonly kind: 'outcomes' | 'refusals';
    readonly stream: string;
    subject(record: Outcome): string;
  };
}

/** Keeps what became of each request, or of each attempt at one. */
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
