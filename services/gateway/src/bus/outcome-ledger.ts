import type { Bus, LedgerCounts } from '@sluice/bus';
import type { RequestRecord, Subjects } from '@sluice/contracts';
import type { GatewaySettings } from '../config.ts';

export interface OutcomeLedgerOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly settings: Pick<GatewaySettings, 'LEDGER_DAYS' | 'LEDGER_MAX_BYTES' | 'LEDGER_REPLICAS'>;
}

/** Keeps what became of each request. */
export interface OutcomeLedger extends AsyncDisposable {
  readonly counts: LedgerCounts;
  record(record: RequestRecord): void;
}

const DAY_MS = 86_400_000;

export function openOutcomeLedger({
  bus,
  subjects,
  settings,
}: OutcomeLedgerOptions): OutcomeLedger {
  const ledger = bus.openLedger({
    stream: subjects.ledgerStream(),
    subjects: subjects.ledgers(),
    replicas: settings.LEDGER_REPLICAS,
    maxAgeMs: settings.LEDGER_DAYS * DAY_MS,
    maxBytes: settings.LEDGER_MAX_BYTES,
  });
  return {
    get counts() {
      return ledger.counts;
    },
    record: (record) => {
      ledger.append({
        id: record.id,
        subject: subjects.ledger('request', record.organization),
        record,
      });
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}
