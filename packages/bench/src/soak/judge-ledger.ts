import type { CountedTokens } from './answer-collector.ts';
import type { FaultLog } from './fault-log.ts';
import type { RecordedOutcomes } from './read-ledger.ts';
import type { SeenOutcomes, SeenOutcome } from './seen-outcomes.ts';

export interface LedgerFinding {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
}

/** How long after its reply a record may still be only in the memory of the gateway. */
const UNSENT_MS = 2_000;
const MAX_NAMED = 5;
const KILL = 'kill ';

interface Missing {
  readonly what: string;
  readonly seen: SeenOutcome;
}

/**
 * Compares what clients received with the records of the ledger. A record may be missing only when a gateway or worker
 * was killed shortly after the reply.
 */
export function judgeLedger({
  seenOutcomes,
  recorded,
  faults,
  nameOf,
}: {
  seenOutcomes: SeenOutcomes;
  recorded: RecordedOutcomes;
  faults: FaultLog;
  /** Returns the name of the gateway at an address. */
  nameOf: (origin: string) => string;
}): LedgerFinding[] {
  const { requests, orphaned, contradicted, unreadable, storedAgain, attempts, readMs } = recorded;
  const missing: Missing[] = [];
  const wrong: string[] = [];
  let lostInKills = 0;
  const miss = (what: string, seen: SeenOutcome, isWriter: (name: string) => boolean) => {
    if (wasKilled(seen, faults, isWriter)) lostInKills += 1;
    else missing.push({ what, seen });
  };
  for (const seen of seenOutcomes.seen.values()) {
    const record = requests.get(seen.requestId);
    if (record === undefined) {
      if (seen.outcomes.length === 0 || seen.optional) continue;
      miss(seen.outcomes.join(' or '), seen, (name) => name === nameOf(seen.origin));
    } else if (!seen.outcomes.includes(record.outcome)) {
      wrong.push(`${record.outcome}, not ${seen.outcomes.join(' or ') || 'recorded at all'}`);
    } else if (seen.tokens !== undefined && !isSame(record.tokens, seen.tokens)) {
      wrong.push(`${textOf(record.tokens)}, not ${textOf(seen.tokens)}`);
    } else if (record.tokens !== undefined && record.generated === undefined) {
      // The records do not say which worker it was.
      miss('the attempt of an answer', seen, (name) => name.startsWith('worker'));
    } else if (record.tokens !== undefined && !isSame(record.generated, record.tokens)) {
      wrong.push(`${textOf(record.generated)} by its worker, not ${textOf(record.tokens)}`);
    }
  }
  const unseen = [...requests.keys(), ...orphaned].filter(
    (id) => !seenOutcomes.seen.has(id),
  ).length;
  return [
    {
      what: 'every reply is in the ledger',
      ok: missing.length === 0,
      found:
        missing.length === 0
          ? `${requests.size} requests and ${attempts} attempts, read in ${(readMs / 1_000).toFixed(1)} s; ${lostInKills} records went with a killed gateway or worker`
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
        storedAgain === 0 &&
        seenOutcomes.repeated.length === 0 &&
        unreadable === 0 &&
        unseen <= seenOutcomes.withoutId,
      found: `${contradicted.length} ids with two records, ${seenOutcomes.repeated.length} ids of two replies, ${unreadable} unreadable, ${storedAgain} stored again; ${unseen} without a reply, of ${seenOutcomes.withoutId} requests that had none`,
    },
  ];
}

/** Whether the process that held the record in memory was killed before it could write it. */
function wasKilled(
  { startedAt, endedAt }: SeenOutcome,
  { faults }: FaultLog,
  isWriter: (name: string) => boolean,
): boolean {
  return faults.some(
    (fault) =>
      fault.name.startsWith(KILL) &&
      isWriter(fault.name.slice(KILL.length)) &&
      fault.startedAt >= startedAt &&
      fault.startedAt - endedAt <= UNSENT_MS,
  );
}

function isSame(one: CountedTokens | undefined, other: CountedTokens | undefined): boolean {
  return one?.prompt === other?.prompt && one?.completion === other?.completion;
}

function textOf(tokens: CountedTokens | undefined): string {
  return tokens === undefined ? 'no tokens' : `${tokens.prompt} and ${tokens.completion} tokens`;
}

function describe(missing: readonly Missing[], faults: FaultLog): string {
  return countBy(
    missing.map(({ what, seen: { startedAt, endedAt } }) => {
      const near = faults.faults.find(
        (fault) => fault.startedAt <= endedAt && (fault.recoveredAt ?? endedAt) >= startedAt,
      );
      return `${what}${near === undefined ? '' : ` during ${near.name}`}`;
    }),
  );
}

function countBy(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const named = [...counts].slice(0, MAX_NAMED).map(([text, count]) => `${text} (${count} times)`);
  return counts.size > MAX_NAMED ? `${named.join('; ')}; …` : named.join('; ');
}
