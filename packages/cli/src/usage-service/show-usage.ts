import { roundedAmount } from '@sluice/contracts';
import type { SumUsageReply } from '@sluice/rpc';
import { numberText } from '../readable-values.ts';
import type { Screen } from '../screen.ts';
import { table } from '../table.ts';

type Sums = NonNullable<SumUsageReply['total']>;
type Row = Readonly<Record<string, string | number | null>>;

export interface UsageReport {
  readonly by: readonly string[];
  readonly reply: SumUsageReply;
}

/** The sums that a table shows first. On a narrow screen, the last columns are left out. JSON and CSV have all sums. */
const FIRST_SUMS = [
  'requests',
  'completed',
  'failed',
  'refused',
  'cancelled',
  'input_tokens',
  'output_tokens',
  'spend',
] as const;
const LAST_SUMS = ['wasted_tokens', 'cached_tokens', 'reasoning_tokens', 'attempts'] as const;

export function usageJson({ by, reply }: UsageReport): object {
  return {
    since: new Date(reply.sinceMs).toISOString(),
    until: new Date(reply.untilMs).toISOString(),
    by,
    groups: usageRows({ by, reply }),
    total: reply.total === null ? null : sumsOf(reply.total, by),
    groups_left_out: reply.groupsLeftOut,
    currency: reply.currency,
    unread_messages: reply.freshness?.unreadMessages ?? null,
  };
}

/** A row for each group, with all sums. */
export function usageRows({ by, reply }: UsageReport): Row[] {
  return reply.groups.map(({ names, sums }) => ({
    ...Object.fromEntries(by.map((dimension, index) => [dimension, names[index] ?? ''])),
    ...(sums === null ? {} : sumsOf(sums, by)),
  }));
}

export function usageTable({ by, reply }: UsageReport, screen: Screen): string {
  const estimates = by.includes('model') ? ['estimate_error'] : [];
  const shown = [...FIRST_SUMS, ...estimates, ...LAST_SUMS].filter(
    (name) => name !== 'spend' || reply.currency !== '',
  );
  const head = [...by, ...shown.map((name) => name.replace('_tokens', '').replace('_', ' '))];
  const names = (row: Row) => by.map((dimension) => nameText(row[dimension]));
  const rows = usageRows({ by, reply }).map((row) => [
    ...names(row),
    ...shown.map((sum) => cellText(sum, row[sum])),
  ]);
  if (reply.total !== null) {
    const total: Row = sumsOf(reply.total, by);
    const title = by.map((_, index) => (index === 0 ? 'total' : ''));
    rows.push([...title, ...shown.map((sum) => cellText(sum, total[sum]))]);
  }
  return table(head, rows, { numbersFrom: by.length, screen });
}

/** What the sums do not include. */
export function usageNotes({ groupsLeftOut, freshness }: SumUsageReply): string[] {
  const notes = groupsLeftOut > 0 ? [`${groupsLeftOut} more groups; --top N shows more`] : [];
  const unread = freshness?.unreadMessages;
  if (unread === undefined) {
    notes.push('it is not known how much of the ledger is still to be summed up');
  } else if (unread > 0) notes.push(`${unread} messages of the ledger are still to be summed up`);
  return notes;
}

function sumsOf(sums: Sums, by: readonly string[]): Row {
  // Wasted tokens are summed up from attempts, which are recorded without a key and a target.
  const knowsWasted = !by.includes('key') && !by.includes('target');
  return {
    requests: sums.requests,
    completed: sums.completed,
    cancelled: sums.cancelled,
    failed: sums.failed,
    refused: sums.refused,
    attempts: sums.attempts,
    input_tokens: sums.inputTokens,
    cached_tokens: sums.cachedTokens,
    output_tokens: sums.outputTokens,
    reasoning_tokens: sums.reasoningTokens,
    wasted_tokens: knowsWasted ? Math.max(0, sums.generatedTokens - sums.deliveredTokens) : null,
    spend: sums.spend,
    unpriced: sums.unpriced,
    estimate_error:
      sums.estimatedTokens === 0 ? null : sums.countedTokens / sums.estimatedTokens - 1,
  };
}

function nameText(value: string | number | null | undefined): string {
  return value === '' || value === null || value === undefined ? '-' : String(value);
}

function cellText(sum: string, value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return roundedAmount(value);
  if (sum !== 'estimate_error') return numberText(value);
  return `${value < 0 ? '' : '+'}${(value * 100).toFixed(1)} %`;
}
