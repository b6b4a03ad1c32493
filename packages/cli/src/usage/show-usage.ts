import { dateText, numberText } from '../readable-values.ts';
import { table } from '../table.ts';
import type { JoinedRequest } from './joined-requests.ts';
import type { ReadRequests } from './read-requests.ts';
import {
  SUMS,
  estimateError,
  groupOf,
  sumUsage,
  type Grouping,
  type UsageSums,
} from './sum-usage.ts';

export function usageJson(read: ReadRequests, by: Grouping, sinceMs: number): object {
  const { requests, underWay, unreadable, ledger } = read;
  const { groups, total } = sumUsage(requests, by);
  return {
    since: new Date(sinceMs).toISOString(),
    by,
    groups: groups.map(({ name, sums }) => ({
      [by]: name,
      ...sums,
      ...(by === 'model' ? { estimate_error: errorOfModel(requests, name) ?? null } : {}),
    })),
    total,
    under_way: underWay,
    unreadable_records: unreadable,
    ledger: {
      stream: ledger.stream,
      exists: ledger.exists,
      begins_at: ledger.beginsAtMs === undefined ? null : new Date(ledger.beginsAtMs).toISOString(),
    },
  };
}

export function usageTable({ requests }: ReadRequests, by: Grouping): string {
  const { groups, total } = sumUsage(requests, by);
  const byModel = by === 'model';
  const head = [by, ...SUMS.map((name) => name.replace('_tokens', ''))];
  const rows = groups.map(({ name, sums }) => [
    name,
    ...numbers(sums),
    ...(byModel ? [percentText(errorOfModel(requests, name))] : []),
  ]);
  const last = [
    'total',
    ...numbers(total),
    ...(byModel ? [percentText(estimateError(requests))] : []),
  ];
  const heading = byModel ? [...head, 'estimate error'] : head;
  return table(heading, [...rows, last], { numbersFrom: 1 });
}

/** What the sums leave out. */
export function usageNotes(read: ReadRequests, sinceMs: number): string[] {
  const { underWay, unreadable, ledger } = read;
  const { stream, exists, beginsAtMs = sinceMs } = ledger;
  return [
    ...(exists ? [] : [`there is no ledger ${stream} yet; is --prefix right?`]),
    ...(sinceMs < beginsAtMs
      ? [`the ledger begins at ${dateText(beginsAtMs)} UTC: older records were removed`]
      : []),
    ...(underWay > 0 ? [`${underWay} requests are still under way, or lost their gateway`] : []),
    ...(unreadable > 0 ? [`${unreadable} records of another version could not be read`] : []),
  ];
}

function errorOfModel(requests: readonly JoinedRequest[], name: string): number | undefined {
  return estimateError(requests.filter((request) => groupOf(request, 'model') === name));
}

function percentText(error: number | undefined): string {
  if (error === undefined) return '-';
  return `${error < 0 ? '' : '+'}${(error * 100).toFixed(1)} %`;
}

function numbers(sums: UsageSums): string[] {
  return SUMS.map((name) => numberText(sums[name]));
}
