import { connectBus, readOutcomes } from '@sluice/bus';
import { DEFAULT_SUBJECT_PREFIX, LedgerRecord, subjectsUnder } from '@sluice/contracts';
import type { TestStack } from '@sluice/devkit';
import { createLogger } from '@sluice/service';

/** The records of one organization in the ledger of a live stack. */
export async function storedOutcomes(
  { natsUrl }: Pick<TestStack, 'natsUrl'>,
  organization: string,
): Promise<LedgerRecord[]> {
  const logger = createLogger({ service: 'ledger-reader', level: 'silent' });
  await using bus = await connectBus({ servers: [natsUrl], name: 'ledger-reader', logger });
  const { ledger } = subjectsUnder(DEFAULT_SUBJECT_PREFIX);
  const records: LedgerRecord[] = [];
  for await (const { text } of readOutcomes(bus, { ledger, organization, sinceMs: 0 })) {
    records.push(LedgerRecord.parse(JSON.parse(text)));
  }
  return records;
}
