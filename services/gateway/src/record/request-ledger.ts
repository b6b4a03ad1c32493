import { openOutcomeLedger, type Bus, type LedgerCounts, type OutcomeLedger } from '@sluice/bus';
import { isRefusal, type RequestRecord, type Subjects } from '@sluice/contracts';

interface RequestLedgerParts {
  readonly bus: Bus;
  readonly subjects: Subjects;
}

/**
 * Opens the ledger for the outcomes of requests. Refused requests have their own stream and backlog, so that a client
 * that exceeds its limits many times cannot displace records that are needed for bills.
 */
export function openRequestLedger({
  bus,
  subjects,
}: RequestLedgerParts): OutcomeLedger<RequestRecord> {
  const outcomes = openOutcomeLedger<RequestRecord>({ bus, place: subjects.outcomes });
  const refusals = openOutcomeLedger<RequestRecord>({ bus, place: subjects.refusals });
  return {
    get counts(): LedgerCounts {
      const { counts: one } = outcomes;
      const { counts: other } = refusals;
      return {
        pending: one.pending + other.pending,
        stored: one.stored + other.stored,
        lost: one.lost + other.lost,
      };
    },
    record: (record) => {
      const ledger = isRefusal(record) ? refusals : outcomes;
      ledger.record(record);
    },
    // Both are disposed in parallel, because each waits until its last records are stored.
    [Symbol.asyncDispose]: async () => {
      await Promise.all([outcomes[Symbol.asyncDispose](), refusals[Symbol.asyncDispose]()]);
    },
  };
}
