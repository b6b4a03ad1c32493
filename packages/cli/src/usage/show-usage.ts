import { dateText, numberText } from '../readable-values.ts';
import { table } from '../table.ts';
import type { ReadLedger, StreamExtent } from './read-requests.ts';
import { SUMS, type UsageReport, type UsageSums } from './sum-usage.ts';

export function usageJson(
  { by, groups, total }: UsageReport,
  { underWay, unreadable, ledger, refusals }: ReadLedger,
  sinceMs: number,
): object {
  return {
    since: new Date(sinceMs).toISOString(),
    by,
    groups: groups.map(({ name, sums, estimateError }) => ({
      [by]: name,
      ...sums,
      ...(by === 'model' ? { estimate_error: estimateError ?? null } : {}),
    })),
    total: total.sums,
    under_way: underWay,
    unreadable_records: unreadable,
    ledger: extentJson(ledger),
    refusals: extentJson(refusals),
  };
}

function extentJson({ stream, exists, beginsAtMs, madeAtMs }: StreamExtent): object {
  return { stream, exists, begins_at: momentJson(beginsAtMs), made_at: momentJson(madeAtMs) };
}

function momentJson(moment: number | undefined): string | null {
  return moment === undefined ? null : new Date(moment).toISOString();
}

export function usageTable({ by, groups, total }: UsageReport): string {
  const byModel = by === 'model';
  const head = [by, ...SUMS.map((name) => name.replace('_tokens', ''))];
  const rows = [...groups, { name: 'total', ...total }].map(({ name, sums, estimateError }) => [
    name,
    ...numbers(sums),
    ...(byModel ? [percentText(estimateError)] : []),
  ]);
  const heading = byModel ? [...head, 'estimate error'] : head;
  return table(heading, rows, { numbersFrom: 1 });
}

/** Notes about requests that the sums do not include. */
export function usageNotes(read: ReadLedger, sinceMs: number): string[] {
  const { underWay, unreadable, ledger, refusals } = read;
  const { beginsAtMs: refusalsBeginAtMs = sinceMs } = refusals;
  return [
    ...(ledger.exists ? [] : [`there is no ledger ${ledger.stream} yet; is --prefix right?`]),
    ...beginningNotes(ledger, sinceMs),
    // A missing stream of refusals is not reported: earlier versions recorded refused requests in the other stream.
    ...(sinceMs < refusalsBeginAtMs
      ? [`refused requests are known from ${dateText(refusalsBeginAtMs)} UTC on only`]
      : []),
    ...(underWay > 0 ? [`${underWay} requests are still under way, or lost their gateway`] : []),
    ...(unreadable > 0 ? [`${unreadable} records of another version could not be read`] : []),
  ];
}

function beginningNotes({ beginsAtMs = 0, madeAtMs = 0 }: StreamExtent, sinceMs: number): string[] {
  if (sinceMs < beginsAtMs) {
    return [`the ledger begins at ${dateText(beginsAtMs)} UTC: older records were removed`];
  }
  if (sinceMs < madeAtMs) {
    return [`the ledger was made at ${dateText(madeAtMs)} UTC: it knows nothing from before`];
  }
  return [];
}

function percentText(error: number | undefined): string {
  if (error === undefined) return '-';
  return `${error < 0 ? '' : '+'}${(error * 100).toFixed(1)} %`;
}

function numbers(sums: UsageSums): string[] {
  return SUMS.map((name) => numberText(sums[name]));
}
