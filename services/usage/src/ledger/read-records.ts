import {
  LedgerRecord,
  type AttemptRecord,
  type RequestRecord,
  type TokenUsage,
} from '@sluice/contracts';
import type { AttemptRow, RequestRow } from '../store/rows.ts';
import { NO_PRICES, type PriceList } from './price-list.ts';

/** The rows for some records of the ledger, and how many of the records were skipped. */
export interface ReadRecords {
  readonly requests: RequestRow[];
  readonly attempts: AttemptRow[];
  /** Records of another version, or with values that no service writes. */
  unreadable: number;
  /** Records of a time for which the tables keep no rows. */
  outside: number;
}

/** The time for which the tables keep rows. */
export interface KeptTimes {
  readonly fromMs: number;
  /** Not included. */
  readonly untilMs: number;
}

/**
 * Any process with the rights of a worker can write strange records. A longer text would not fit into an index: the
 * database would refuse the whole batch, again and again. A larger count is no count of tokens, and the sum of a batch
 * would no longer be exact.
 */
const MAX_TEXT = 300;
const MAX_COUNT = 1e12;
const MAX_ENTRIES = 16;
const CONTROL_CHARACTERS = /\p{Cc}/u;

const NO_TOKENS: TokenUsage = {
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};

export function readRecords(
  lines: Iterable<string>,
  kept: KeptTimes,
  prices: PriceList = NO_PRICES,
): ReadRecords {
  const read: ReadRecords = { requests: [], attempts: [], unreadable: 0, outside: 0 };
  for (const line of lines) {
    const record = parseRecord(line);
    if (record === undefined) {
      read.unreadable += 1;
      continue;
    }
    const row = record.kind === 'request' ? requestRow(record, prices) : attemptRow(record);
    const timeMs = 'received_ms' in row ? row.received_ms : row.accepted_ms;
    // The time is larger than a count may be, and is compared below.
    const fits = Object.values(row).every((value) => value === timeMs || fitsColumn(value));
    if (!fits) read.unreadable += 1;
    else if (timeMs < kept.fromMs || timeMs >= kept.untilMs) read.outside += 1;
    else if ('received_ms' in row) read.requests.push(row);
    else read.attempts.push(row);
  }
  return read;
}

function parseRecord(line: string): LedgerRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return LedgerRecord.safeParse(value).data;
}

function fitsColumn(value: unknown): boolean {
  return typeof value === 'number' ? value <= MAX_COUNT : fitsText(value);
}

/** Details are stored as text, so their numbers may have any size. */
function fitsText(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.length <= MAX_TEXT && value.isWellFormed() && !CONTROL_CHARACTERS.test(value);
  }
  if (typeof value !== 'object' || value === null) return true;
  const entries = Object.entries(value);
  return (
    entries.length <= MAX_ENTRIES &&
    entries.every(([name, entry]) => name.length <= MAX_TEXT && fitsText(entry))
  );
}

function requestRow(record: RequestRecord, prices: PriceList): RequestRow {
  const row = {
    id: record.id,
    received_ms: record.received_at_ms,
    organization: record.organization,
    project: record.project,
    credential: record.credential,
    operation: record.operation,
    model: record.model ?? '',
    target: record.target ?? '',
    stream: record.stream,
    outcome: record.outcome,
    code: record.code ?? '',
    gateway: record.gateway,
    offers: record.attempts,
    refused_offers: record.refused_offers,
    estimated_tokens: record.estimated_input_tokens,
    delivered_tokens: record.delivered_tokens,
    counted: record.usage !== null,
    ...tokensOf(record),
    first_token_ms: record.first_token_ms,
    duration_ms: record.duration_ms,
    status: record.status ?? null,
    details: {
      limits: record.limits,
      offers: record.offers,
      scheduling_class: record.scheduling_class,
      weight: record.weight,
    },
  };
  return { ...row, spend: prices.spendOf(row)?.toString() ?? null };
}

/**
 * A completed request counts the tokens that its runtime reported. Any other request counts the output tokens that were
 * delivered. If its input was not reported, it is the estimate of admission, or 0 if nothing was delivered.
 */
function tokensOf(record: RequestRecord): TokenUsage {
  const { outcome, usage, delivered_tokens: delivered } = record;
  if (outcome === 'completed') return usage ?? { ...NO_TOKENS, output_tokens: delivered };
  return {
    input_tokens: usage?.input_tokens ?? (delivered > 0 ? record.estimated_input_tokens : 0),
    cached_tokens: usage?.cached_tokens ?? 0,
    output_tokens: delivered,
    reasoning_tokens: 0,
  };
}

function attemptRow(record: AttemptRecord): AttemptRow {
  return {
    id: record.id,
    request: record.request,
    accepted_ms: record.accepted_at_ms,
    organization: record.organization,
    project: record.project,
    model: record.model,
    worker: record.worker,
    gateway: record.gateway,
    ended: record.ended,
    reason: record.reason ?? '',
    generated_tokens: record.generated_tokens,
    queued_ms: record.queued_ms,
    ran_ms: record.ran_ms,
    worker_name: record.worker_name ?? record.worker,
    host: record.host ?? '',
    runtime: record.runtime ?? '',
  };
}
