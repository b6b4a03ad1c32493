import type { Bus } from './bus.ts';
import type { LedgerQuery, StoredRecord } from './ledger.ts';

export interface OutcomesQuery extends Pick<LedgerQuery, 'sinceMs'> {
  /** The streams that the ledger is made of. */
  readonly ledger: readonly { readonly stream: string; subjects(organization?: string): string }[];
  /** All of them unless given. */
  readonly organization?: string;
}

/** What all streams of the outcome ledger hold, one after another. */
export async function* readOutcomes(
  bus: Pick<Bus, 'readLedger'>,
  { ledger, organization, sinceMs }: OutcomesQuery,
): AsyncGenerator<StoredRecord, void, void> {
  for (const place of ledger) {
    const { stream } = place;
    yield* bus.readLedger({ stream, subjects: place.subjects(organization), sinceMs });
  }
}
