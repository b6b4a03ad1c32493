import { openOutcomeLedger, type Bus, type LedgerCounts, type OutcomeLedger } from '@sluice/bus';
import { cameToNothing, type RequestRecord, type Subjects } from '@sluice/contracts';

interface RequestLedgerParts {
  readonly bus: Bus;
  readonly subjects: Subjects;
}

/**
 * Requests that came to nothing have a stream and a backlog of their own, the refusals: whoever sends many beyond
 * their limits takes no room from the records that others are billed by.
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
      const ledger = cameToNothing(record) ? refusals : outcomes;
      ledger.record(record);
    },
    // Together, since each waits for its last records.
    [Symbol.asyncDispose]: async () => {
      await Promise.all([outcomes[Symbol.asyncDispose](), refusals[Symbol.asyncDispose]()]);
    },
  };
}
