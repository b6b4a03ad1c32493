import { hash } from 'node:crypto';
import { connectBus, readOutcomes } from '@sluice/bus';
import {
  DEFAULT_SUBJECT_PREFIX,
  LedgerRecord,
  subjectsUnder,
  type RequestOutcome,
} from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import type { CountedTokens } from './answer-collector.ts';

export interface RecordedRequest {
  readonly outcome: RequestOutcome;
  /** From the record of the gateway. */
  readonly tokens: CountedTokens | undefined;
  /** From the record of the worker whose attempt completed. */
  readonly generated: CountedTokens | undefined;
}

/** The contents of the outcome ledger. */
export interface RecordedOutcomes {
  readonly requests: ReadonlyMap<string, RecordedRequest>;
  readonly attempts: number;
  /** Ids of requests that have only records of attempts. */
  readonly orphaned: ReadonlySet<string>;
  /** Number of records stored more than once. Readers count each record once. */
  readonly storedAgain: number;
  /** Ids that have two different records. */
  readonly contradicted: readonly string[];
  readonly unreadable: number;
  readonly readMs: number;
}

/** Counts only requests of these organizations, because the monitoring of the stack also sends requests. */
export async function readLedger(
  natsUrl: string,
  organizations: ReadonlySet<string>,
): Promise<RecordedOutcomes> {
  const startedAt = performance.now();
  const logger = createLogger({ service: 'bench', level: 'silent' });
  await using bus = await connectBus({ servers: [natsUrl], name: 'soak', logger });
  const { ledger } = subjectsUnder(DEFAULT_SUBJECT_PREFIX);
  const digests = new Map<string, string>();
  const requests = new Map<string, Omit<RecordedRequest, 'generated'>>();
  const attempted = new Set<string>();
  const generated = new Map<string, CountedTokens>();
  const contradicted: string[] = [];
  let attempts = 0;
  let storedAgain = 0;
  let unreadable = 0;
  for await (const { text } of readOutcomes(bus, { ledger, sinceMs: 0 })) {
    const record = readRecord(text);
    if (record === undefined) {
      unreadable += 1;
      continue;
    }
    const { id } = record;
    const digest = hash('sha256', text, 'base64');
    const known = digests.get(id);
    if (known !== undefined) {
      if (known === digest) storedAgain += 1;
      else contradicted.push(id);
      continue;
    }
    digests.set(id, digest);
    if (!organizations.has(record.organization)) continue;
    if (record.kind === 'attempt') {
      attempts += 1;
      attempted.add(record.request);
      const tokens = tokensIn(record);
      if (tokens !== undefined) generated.set(record.request, tokens);
    } else requests.set(id, { outcome: record.outcome, tokens: tokensIn(record) });
  }
  return {
    requests: new Map(
      Array.from(requests, ([id, request]) => [id, { ...request, generated: generated.get(id) }]),
    ),
    attempts,
    orphaned: new Set([...attempted].filter((id) => !requests.has(id))),
    storedAgain,
    contradicted,
    unreadable,
    readMs: performance.now() - startedAt,
  };
}

function tokensIn({ usage }: LedgerRecord): CountedTokens | undefined {
  return usage === null
    ? undefined
    : { prompt: usage.input_tokens, completion: usage.output_tokens };
}

function readRecord(text: string): LedgerRecord | undefined {
  try {
    return LedgerRecord.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
