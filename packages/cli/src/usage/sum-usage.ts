import { REQUEST_OUTCOMES } from '@sluice/contracts';
import type { JoinedRequest } from './held-request.ts';

export const GROUPINGS = [
  'organization',
  'project',
  'key',
  'model',
  'target',
  'day',
  'operation',
] as const;
export type Grouping = (typeof GROUPINGS)[number];

const OUTCOMES = [...REQUEST_OUTCOMES, 'abandoned'] as const;
const TOKENS = ['input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens'] as const;

/** The sums, in the order in which they are shown. */
export const SUMS = ['requests', ...OUTCOMES, 'attempts', ...TOKENS, 'wasted_tokens'] as const;
export type UsageSums = Record<(typeof SUMS)[number], number>;

export interface UsageGroup {
  readonly sums: UsageSums;
  /**
   * How much more input the runtime counted than was estimated: 0.1 is 10 % more. Undefined if the runtime counted
   * none. An operator adjusts the token ratio of a model with it.
   */
  readonly estimateError: number | undefined;
}

export interface UsageReport {
  readonly by: Grouping;
  /** Sorted by name. */
  readonly groups: (UsageGroup & { readonly name: string })[];
  readonly total: UsageGroup;
}

/** Sums up requests one by one, without keeping them. */
export class UsageTally {
  readonly #by: Grouping;
  readonly #groups = new Map<string, GroupTally>();
  readonly #total = new GroupTally();

  constructor(by: Grouping) {
    this.#by = by;
  }

  add(request: JoinedRequest): void {
    const name = groupOf(request, this.#by);
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = new GroupTally();
      this.#groups.set(name, group);
    }
    group.add(request);
    this.#total.add(request);
  }

  report(): UsageReport {
    const ordered = [...this.#groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return {
      by: this.#by,
      groups: ordered.map(([name, group]) => ({ name, ...group.result() })),
      total: this.#total.result(),
    };
  }
}

class GroupTally {
  readonly #sums = noUsage();
  #estimated = 0;
  #counted = 0;

  add({ outcome, attempts, tokens, wastedTokens, input }: JoinedRequest): void {
    const sums = this.#sums;
    sums.requests += 1;
    sums[outcome] += 1;
    sums.attempts += attempts;
    for (const name of TOKENS) sums[name] += tokens[name];
    sums.wasted_tokens += wastedTokens;
    this.#estimated += input?.estimated ?? 0;
    this.#counted += input?.counted ?? 0;
  }

  result(): UsageGroup {
    const estimateError = this.#estimated === 0 ? undefined : this.#counted / this.#estimated - 1;
    return { sums: { ...this.#sums }, estimateError };
  }
}

function groupOf(request: JoinedRequest, by: Grouping): string {
  switch (by) {
    case 'organization':
      return request.organization;
    case 'project':
      return request.project;
    case 'key':
      return request.credential ?? '-';
    case 'model':
      return request.model ?? '-';
    case 'target':
      return `${request.model ?? '-'} ${request.target ?? '-'}`;
    case 'operation':
      return request.operation;
    case 'day':
      return new Date(request.receivedAtMs).toISOString().slice(0, 10);
  }
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
