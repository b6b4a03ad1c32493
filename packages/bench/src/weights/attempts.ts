import { setTimeout as delay } from 'node:timers/promises';
import { connectBus, readOutcomes } from '@sluice/bus';
import {
  DEFAULT_SUBJECT_PREFIX,
  LedgerRecord,
  subjectsUnder,
  type AttemptRecord,
} from '@sluice/contracts';
import { createLogger } from '@sluice/service';

const SETTLE_MS = 1_500;
const MAX_READINGS = 20;

/** Reads the attempts of these organizations from the ledger, once no more records arrive. */
export async function readAttempts(
  natsUrl: string,
  organizations: ReadonlySet<string>,
): Promise<readonly AttemptRecord[]> {
  const logger = createLogger({ service: 'bench', level: 'silent' });
  await using bus = await connectBus({ servers: [natsUrl], name: 'bench', logger });
  const { ledger } = subjectsUnder(DEFAULT_SUBJECT_PREFIX);
  let sizeBefore = -1;
  for (let reading = 0; reading < MAX_READINGS; reading += 1) {
    const attempts = new Map<string, AttemptRecord>();
    for await (const { text } of readOutcomes(bus, { ledger, sinceMs: 0 })) {
      const record = LedgerRecord.parse(JSON.parse(text));
      if (record.kind === 'attempt' && organizations.has(record.organization)) {
        attempts.set(record.id, record);
      }
    }
    if (attempts.size === sizeBefore) return [...attempts.values()];
    sizeBefore = attempts.size;
    await delay(SETTLE_MS);
  }
  throw new Error('records still arrive in the ledger');
}

export function startedAt({ accepted_at_ms, queued_ms }: AttemptRecord): number {
  return accepted_at_ms + queued_ms;
}

/** Whether the attempt got a slot. */
export function hasRun({ ended, ran_ms }: AttemptRecord): boolean {
  return ended === 'finished' || ran_ms > 0;
}
