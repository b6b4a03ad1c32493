import type { FaultLog } from './fault-log.ts';
import type { OutcomeBook, SeenOutcome } from './outcome-book.ts';
import type { RecordedOutcomes } from './read-ledger.ts';

export interface LedgerFinding {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
}

/** How long after a reply its record may still be in the memory of the gateway that is killed. */
const UNSENT_MS = 2_000;
const MOST_NAMED = 5;

/**
 * Holds what clients saw against what the ledger says. Only a gateway that was killed may owe a record,
 * and only of its last moment.
 */
export function judgeLedger({
  book,
  recorded,
  faults,
  nameOf,
}: {
  book: OutcomeBook;
  recorded: RecordedOutcomes;
  faults: FaultLog;
  /** The name of the gateway at an address. */
  nameOf: (origin: string) => string;
}): LedgerFinding[] {
  const { requests, orphaned, contradicted, unreadable, storedAgain, attempts, readMs } = recorded;
  const missing: SeenOutcome[] = [];
  const wrong: string[] = [];
  let taken = 0;
  for (const seen of book.seen.values()) {
    const record = requests.get(seen.requestId);
    if (record === undefined) {
      if (seen.outcomes.length === 0 || seen.optional) continue;
      if (wasKilled(seen, faults, nameOf)) taken += 1;
      else missing.push(seen);
    } else if (!seen.outcomes.includes(record.outcome)) {
      wrong.push(`${record.outcome}, not ${seen.outcomes.join(' or ') || 'recorded at all'}`);
    } else if (seen.outputTokens !== undefined && record.outputTokens !== seen.outputTokens) {
      wrong.push(`${record.outputTokens} tokens, not ${seen.outputTokens}`);
    }
  }
  const unseen = [...requests.keys(), ...orphaned].filter((id) => !book.seen.has(id)).length;
  return [
    {
      what: 'every reply is in the ledger',
      ok: missing.length === 0,
      found:
        missing.length === 0
          ? `${requests.size} requests and ${attempts} attempts, read in ${(readMs / 1_000).toFixed(1)} s; ${taken} replies' records went with a killed gateway`
          : `${missing.length} are missing: ${describe(missing, faults)}`,
    },
    {
      what: 'the ledger says what clients saw',
      ok: wrong.length === 0,
      found: wrong.length === 0 ? 'outcomes and tokens are the same' : countBy(wrong),
    },
    {
      what: 'nothing is in the ledger twice or without a cause',
      ok:
        contradicted.length === 0 &&
        book.repeated.length === 0 &&
        unreadable === 0 &&
        unseen <= book.nameless,
      found: `${contradicted.length} ids with two records, ${book.repeated.length} ids of two replies, ${unreadable} unreadable, ${storedAgain} stored again; ${unseen} without a reply, of ${book.nameless} requests that had none`,
    },
  ];
}

/** Whether the process that had the record in memory was killed before it could write it. */
function wasKilled(
  { origin, startedAt, endedAt }: SeenOutcome,
  { faults }: FaultLog,
  nameOf: (origin: string) => string,
): boolean {
  const kill = `kill ${nameOf(origin)}`;
  return faults.some(
    (fault) =>
      fault.name === kill && fault.startedAt >= startedAt && fault.startedAt - endedAt <= UNSENT_MS,
  );
}

function describe(missing: readonly SeenOutcome[], faults: FaultLog): string {
  return countBy(
    missing.map(({ outcomes, startedAt, endedAt }) => {
      const near = faults.faults.find(
        (fault) => fault.startedAt <= endedAt && (fault.recoveredAt ?? endedAt) >= startedAt,
      );
      return `${outcomes.join(' or ')}${near === undefined ? '' : ` during ${near.name}`}`;
    }),
  );
}

function countBy(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const named = [...counts].slice(0, MOST_NAMED).map(([text, count]) => `${text} (${count} times)`);
  return counts.size > MOST_NAMED ? `${named.join('; ')}; …` : named.join('; ');
}
