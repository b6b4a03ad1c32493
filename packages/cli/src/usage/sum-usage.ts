import { REQUEST_OUTCOMES } from '@sluice/contracts';
import type { JoinedRequest } from './joined-requests.ts';

export const GROUPINGS = ['organization', 'project', 'key', 'model', 'day', 'operation'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const OUTCOMES = [...REQUEST_OUTCOMES, 'abandoned'] as const;
const TOKENS = ['input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens'] as const;

/** What is summed up, in the order in which it is shown. */
export const SUMS = ['requests', ...OUTCOMES, 'attempts', ...TOKENS, 'wasted_tokens'] as const;
export type UsageSums = Record<(typeof SUMS)[number], number>;

export interface UsageReport {
  /** Ordered by name. */
  readonly groups: { readonly name: string; readonly sums: UsageSums }[];
  readonly total: UsageSums;
}

/**
 * By how much the runtime counted more input than was estimated: 0.1 is a tenth more. Undefined where it
 * counted none. An operator sets a model's ratio by it.
 */
export function estimateError(requests: Iterable<JoinedRequest>): number | undefined {
  let estimated = 0;
  let counted = 0;
  for (const { input } of requests) {
    estimated += input?.estimated ?? 0;
    counted += input?.counted ?? 0;
  }
  return estimated === 0 ? undefined : counted / estimated - 1;
}

export function sumUsage(requests: Iterable<JoinedRequest>, by: Grouping): UsageReport {
  const groups = new Map<string, UsageSums>();
  const total = noUsage();
  for (const request of requests) {
    const name = groupOf(request, by);
    let sums = groups.get(name);
    if (sums === undefined) {
      sums = noUsage();
      groups.set(name, sums);
    }
    add(sums, request);
    add(total, request);
  }
  const ordered = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { groups: ordered.map(([name, sums]) => ({ name, sums })), total };
}

export function groupOf(request: JoinedRequest, by: Grouping): string {
  switch (by) {
    case 'organization':
      return request.organization;
    case 'project':
      return request.project;
    case 'key':
      return request.credential ?? '-';
    case 'model':
      return request.model ?? '-';
    case 'operation':
      return request.operation;
    case 'day':
      return new Date(request.receivedAtMs).toISOString().slice(0, 10);
  }
}

function add(sums: UsageSums, request: JoinedRequest): void {
  sums.requests += 1;
  sums[request.outcome] += 1;
  sums.attempts += request.attempts;
  for (const name of TOKENS) sums[name] += request.tokens[name];
  sums.wasted_tokens += request.wastedTokens;
}

function noUsage(): UsageSums {
  return {
    requests: 0,
    completed: 0,
    cancelled: 0,
    failed: 0,
    refused: 0,
    abandoned: 0,
    attempts: 0,
    input_tokens: 0,
    cached_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    wasted_tokens: 0,
  };
}
