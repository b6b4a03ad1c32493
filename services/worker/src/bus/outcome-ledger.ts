import { ledgerBounds, type Bus, type LedgerCounts, type LedgerSettings } from '@sluice/bus';
import type { AttemptRecord, Subjects } from '@sluice/contracts';

export interface OutcomeLedgerOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly settings: LedgerSettings;
}

/** Keeps what became of each attempt. */
export interface OutcomeLedger extends AsyncDisposable {
  readonly counts: LedgerCounts;
  record(record: AttemptRecord): void;
}

export function openOutcomeLedger({
  bus,
  subjects,
  settings,
}: OutcomeLedgerOptions): OutcomeLedger {
  const ledger = bus.openLedger({
    stream: subjects.ledgerStream(),
    subjects: subjects.ledgers(),
    ...ledgerBounds(settings),
  });
  return {
    get counts() {
      return ledger.counts;
    },
    record: (record) => {
      ledger.append({ id: record.id, subject: subjects.ledger(record), record });
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}
