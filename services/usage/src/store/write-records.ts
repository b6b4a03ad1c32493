import * as z from 'zod';
import { addSums } from './add-sums.ts';
import { copyText } from './copy-text.ts';
import { select, type Transaction } from './database.ts';
import type { AttemptRow, RequestRow } from './rows.ts';

export interface WrittenRows {
  readonly requests: readonly RequestRow[];
  readonly attempts: readonly AttemptRow[];
}

/** Adds records and their sums. Rejects with a unique violation if the tables already hold one of them. */
export async function writeRecords(
  transaction: Transaction,
  { requests, attempts }: WrittenRows,
): Promise<void> {
  if (requests.length > 0) await writeRequests(transaction, requests);
  if (attempts.length > 0) await writeAttempts(transaction, attempts);
  await addSums(transaction, { requests, attempts });
}

/** Without `details`, which is stored as JSON. */
const REQUEST_COLUMNS = [
  'id',
  'received_ms',
  'organization',
  'project',
  'credential',
  'operation',
  'model',
  'target',
  'stream',
  'outcome',
  'code',
  'gateway',
  'offers',
  'refused_offers',
  'estimated_tokens',
  'delivered_tokens',
  'counted',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'reasoning_tokens',
  'first_token_ms',
  'duration_ms',
  'status',
  'spend',
] as const satisfies readonly (keyof RequestRow)[];

const ATTEMPT_COLUMNS = [
  'id',
  'request',
  'accepted_ms',
  'organization',
  'project',
  'model',
  'worker',
  'gateway',
  'ended',
  'reason',
  'generated_tokens',
  'queued_ms',
  'ran_ms',
  'worker_name',
  'host',
  'runtime',
] as const satisfies readonly (keyof AttemptRow)[];

const COPY_REQUESTS = `requests (${REQUEST_COLUMNS.join(', ')}, details, arrival)`;
const COPY_ATTEMPTS = `attempts (${ATTEMPT_COLUMNS.join(', ')})`;

const Arrival = z.object({ arrival: z.number() });

/** Adds requests. Rejects with a unique violation if the tables already hold one of them. */
async function writeRequests(transaction: Transaction, rows: readonly RequestRow[]): Promise<void> {
  const sql = `SELECT nextval('arrivals')::float8 AS arrival`;
  const [next] = await select(transaction, Arrival, sql);
  const first = next?.arrival ?? 0;
  // Callers that follow new requests read them in the order of these numbers. No lower number can appear later, because
  // only one transaction writes at a time. The sequence grows by more than a batch has rows.
  const lines = rows.map((row, index) => [
    ...REQUEST_COLUMNS.map((column) => row[column]),
    JSON.stringify(row.details),
    first + index + 1,
  ]);
  await transaction.copy(COPY_REQUESTS, copyText(lines));
}

/** The same for attempts. */
async function writeAttempts(transaction: Transaction, rows: readonly AttemptRow[]): Promise<void> {
  const lines = rows.map((row) => ATTEMPT_COLUMNS.map((column) => row[column]));
  await transaction.copy(COPY_ATTEMPTS, copyText(lines));
}
