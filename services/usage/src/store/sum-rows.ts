import { HOUR_MS } from './partitions.ts';
import type { AttemptRow, RequestRow } from './rows.ts';

/** The dimensions of the sums, in addition to the hour or day. */
export const SUMMED_BY = ['organization', 'project', 'credential', 'model', 'target'] as const;

/** What a request adds to each sum. */
const REQUEST_SUMS = {
  requests: () => 1,
  completed: ({ outcome }: RequestRow) => (outcome === 'completed' ? 1 : 0),
  cancelled: ({ outcome }: RequestRow) => (outcome === 'cancelled' ? 1 : 0),
  failed: ({ outcome }: RequestRow) => (outcome === 'failed' ? 1 : 0),
  refused: ({ outcome }: RequestRow) => (outcome === 'refused' ? 1 : 0),
  input_tokens: (row: RequestRow) => row.input_tokens,
  cached_tokens: (row: RequestRow) => row.cached_tokens,
  output_tokens: (row: RequestRow) => row.output_tokens,
  reasoning_tokens: (row: RequestRow) => row.reasoning_tokens,
  delivered_tokens: (row: RequestRow) => row.delivered_tokens,
  estimated_tokens: (row: RequestRow) => (row.counted ? row.estimated_tokens : 0),
  counted_tokens: (row: RequestRow) => (row.counted ? row.input_tokens : 0),
  unpriced: ({ spend }: RequestRow) => (spend === null ? 1 : 0),
};

/** What an attempt adds to each sum. */
const ATTEMPT_SUMS = {
  attempts: () => 1,
  generated_tokens: (row: AttemptRow) => row.generated_tokens,
};

export const SUMS_OF_REQUESTS = Object.keys(REQUEST_SUMS);
export const SUMS_OF_ATTEMPTS = Object.keys(ATTEMPT_SUMS);

/** The sums of some rows that have the same names and begin in the same hour. */
export interface SummedRows {
  /** In the order of `SUMMED_BY`. */
  readonly names: readonly string[];
  readonly hourMs: number;
  /** In the order of `SUMS_OF_REQUESTS` or `SUMS_OF_ATTEMPTS`. */
  readonly sums: number[];
  /** In units of money. */
  spend: bigint;
}

export function sumRequests(rows: readonly RequestRow[]): SummedRows[] {
  const add = Object.values(REQUEST_SUMS);
  const groups = new Groups();
  for (const row of rows) {
    const { organization, project, credential, model, target, spend } = row;
    const names = [organization, project, credential, model, target];
    const group = groups.at(row.received_ms, names);
    addTo(group.sums, add, row);
    if (spend !== null && spend !== '0') group.spend += BigInt(spend);
  }
  return groups.all;
}

/** A worker knows neither the key of a request nor the target, so attempts are summed up without them. */
export function sumAttempts(rows: readonly AttemptRow[]): SummedRows[] {
  const add = Object.values(ATTEMPT_SUMS);
  const groups = new Groups();
  for (const row of rows) {
    const { organization, project, model } = row;
    const group = groups.at(row.accepted_ms, [organization, project, '', model, '']);
    addTo(group.sums, add, row);
  }
  return groups.all;
}

function addTo<Row>(sums: number[], values: readonly ((row: Row) => number)[], row: Row): void {
  for (const [index, valueOf] of values.entries()) {
    sums[index] = (sums[index] ?? 0) + valueOf(row);
  }
}

class Groups {
  readonly #found = new Map<string, SummedRows>();

  get all(): SummedRows[] {
    return [...this.#found.values()];
  }

  at(timeMs: number, names: readonly string[]): SummedRows {
    const hourMs = Math.floor(timeMs / HOUR_MS) * HOUR_MS;
    // No name contains a control character: such records are not read.
    const key = `${hourMs}\t${names.join('\t')}`;
    let group = this.#found.get(key);
    if (group === undefined) {
      group = { names, hourMs, sums: [], spend: 0n };
      this.#found.set(key, group);
    }
    return group;
  }
}
