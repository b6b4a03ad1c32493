import { percentile } from '../measure/statistics.ts';
import { formatNumber, markOf, table } from '../report/table.ts';
import type { Fault } from './fault-log.ts';
import { OUTCOMES } from './judge-exchange.ts';
import { judgeSoak, type Check } from './judge-soak.ts';
import type { MemoryFinding } from './process-watch.ts';
import type { SoakRecord } from './run-soak.ts';

export interface SoakReport {
  readonly minutes: number;
  readonly seed: number;
  readonly requests: number;
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly disturbances: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, { readonly times: number; readonly longestMs: number }>>;
  readonly faultFreeShare: number;
  readonly revocationMs: { readonly p50: number; readonly max: number };
  readonly memory: readonly MemoryFinding[];
  readonly checks: readonly Check[];
}

export function reportSoak(record: SoakRecord, seed: number): SoakReport {
  const { faults, clients } = record;
  const { tally, revocations } = clients;
  const outcomes = Object.fromEntries(tally.counts);
  const waits = revocations.map(({ revokedAt, refusedAt }) => refusedAt - revokedAt);
  return {
    minutes: record.seconds / 60,
    seed,
    requests: tally.issued,
    outcomes,
    disturbances: countBy(tally.disturbances.map(({ detail }) => detail)),
    faults: summarizeFaults(faults.faults),
    faultFreeShare: record.faultFreeShare,
    revocationMs: { p50: percentile(waits, 0.5), max: Math.max(0, ...waits) },
    memory: record.watch.judgeMemory(record.settledAt),
    checks: judgeSoak(record),
  };
}

export function renderSoak(report: SoakReport): string {
  const { minutes, requests, seed, faultFreeShare } = report;
  return [
    `${formatNumber(minutes, 1)} minutes, ${formatNumber(requests, 0)} requests, seed ${seed}; ${formatNumber(faultFreeShare * 100, 0)}% of the time was free of faults`,
    outcomeTable(report),
    listOf('Failures, which are allowed only during a fault', report.disturbances),
    faultTable(report),
    memoryTable(report),
    `A revoked key was refused by every gateway after ${formatNumber(report.revocationMs.p50, 0)} ms (median), ${formatNumber(report.revocationMs.max, 0)} ms at most.`,
    table([
      ['Checks'],
      ...report.checks.map(({ what, ok, found }) => [`  ${markOf(ok)} ${what}: ${found}`]),
    ]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function outcomeTable({ outcomes }: SoakReport): string {
  const rows = Object.entries(outcomes).map(([name, counts]) => [
    `  ${name}`,
    ...OUTCOMES.map((outcome) => formatNumber(counts[outcome] ?? 0, 0)),
  ]);
  return table([['Requests', ...OUTCOMES], ...rows]);
}

function faultTable({ faults }: SoakReport): string {
  const rows = Object.entries(faults).map(([name, { times, longestMs }]) => [
    `  ${name}`,
    String(times),
    `${formatNumber(longestMs / 1_000, 1)} s`,
  ]);
  return rows.length === 0 ? '' : table([['Faults', 'times', 'longest recovery'], ...rows]);
}

function memoryTable({ memory }: SoakReport): string {
  const mebibytes = (kib: number | undefined, digits: number) =>
    kib === undefined ? '–' : formatNumber(kib / 1_024, digits);
  const rows = memory.map(({ name, resident, held }) => [
    `  ${name}`,
    String(resident.points),
    mebibytes(resident.startKib, 0),
    mebibytes(resident.endKib, 0),
    mebibytes(resident.kibPerHour, 1),
    mebibytes(held?.startKib, 1),
    mebibytes(held?.endKib, 1),
    mebibytes(held?.kibPerHour, 1),
  ]);
  const heading = [
    'points',
    'resident, first',
    'last',
    'growth per hour',
    'heap, first',
    'last',
    'growth per hour',
  ];
  return rows.length === 0
    ? ''
    : table([['Memory after garbage collections, MiB', ...heading], ...rows]);
}

function listOf(title: string, counts: Readonly<Record<string, number>>): string {
  const rows = Object.entries(counts).map(([name, count]) => [`  ${name}`, String(count)]);
  return rows.length === 0 ? '' : table([[title, 'times'], ...rows]);
}

function summarizeFaults(
  faults: readonly Fault[],
): Record<string, { times: number; longestMs: number }> {
  const summary: Record<string, { times: number; longestMs: number }> = {};
  for (const { name, startedAt, recoveredAt } of faults) {
    const known = (summary[name] ??= { times: 0, longestMs: 0 });
    known.times += 1;
    known.longestMs = Math.max(known.longestMs, (recoveredAt ?? startedAt) - startedAt);
  }
  return summary;
}

function countBy(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}
