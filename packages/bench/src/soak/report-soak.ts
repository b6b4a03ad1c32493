import { percentile } from '../measure/statistics.ts';
import { formatNumber, table } from '../report/table.ts';
import type { Fault } from './fault-log.ts';
import { OUTCOMES } from './judge-exchange.ts';
import type { MemoryFinding } from './process-watch.ts';
import type { SoakRecord } from './run-soak.ts';
import type { Disturbance } from './tally.ts';

export interface Check {
  readonly what: string;
  /** Undefined when the run was too short to tell. */
  readonly ok: boolean | undefined;
  readonly found: string;
}

export interface SoakReport {
  readonly minutes: number;
  readonly seed: number;
  readonly requests: number;
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly disturbances: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, { readonly times: number; readonly longestMs: number }>>;
  readonly calmShare: number;
  readonly revocationMs: { readonly p50: number; readonly most: number };
  readonly memory: readonly MemoryFinding[];
  readonly checks: readonly Check[];
}

/** Descriptors that come and go by themselves: an idle connection kept, a log file turned over. */
const TOLERATED_DESCRIPTORS = 8;
const STANDSTILL_SHARE = 1 / 3;

export function reportSoak(record: SoakRecord, seed: number): SoakReport {
  const { faults, crowd } = record;
  const { tally, churn } = crowd;
  const outcomes = Object.fromEntries(tally.counts);
  const waits = churn.map(({ revokedAt, refusedAt }) => refusedAt - revokedAt);
  return {
    minutes: record.seconds / 60,
    seed,
    requests: tally.issued,
    outcomes,
    disturbances: countBy(tally.disturbances.map(({ detail }) => detail)),
    faults: summarizeFaults(faults.faults),
    calmShare: record.calmShare,
    revocationMs: { p50: percentile(waits, 0.5), most: Math.max(0, ...waits) },
    memory: record.watch.judgeMemory(record.settledAt),
    checks: judgeSoak(record),
  };
}

function judgeSoak(record: SoakRecord): Check[] {
  const { crowd, faults, lastGreedy, watch, left, unaskedEnds } = record;
  const { tally, model } = crowd;
  const unfaulted = tally.disturbances.filter((interval) => !faults.excuses(interval));
  const unmachined = unfaulted.filter((interval) => !stoodStill(interval, record));
  const unexcused = unmachined.filter((interval) => !hadToWait(interval, record));
  const failed = faults.faults.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`${name}: ${failure}`],
  );
  const storeKilledAt = faults.faults
    .filter(({ name }) => name === 'kill redis')
    .map(({ startedAt }) => startedAt);
  const day = model.judgeDay(lastGreedy, storeKilledAt);
  const minute = model.judgeMinute(storeKilledAt);
  const memory = watch.judgeMemory(record.settledAt);
  const grown = memory.filter(({ resident, held }) => !resident.ok || held?.ok === false);
  const descriptors = watch.descriptorChanges();
  const leaked = descriptors.filter(({ from, to }) => to - from > TOLERATED_DESCRIPTORS);
  return [
    {
      what: 'every request has one outcome',
      ok: tally.issued === tally.judged,
      found: `${tally.issued} sent, ${tally.judged} judged`,
    },
    {
      what: 'nothing lost, nothing doubled, no false end',
      ok: tally.wrongs.length === 0,
      found: tally.wrongs.length === 0 ? 'none' : tally.wrongs.slice(0, 10).join('; '),
    },
    {
      what: 'every fault was overcome',
      ok: failed.length === 0,
      found: failed.length === 0 ? `${faults.faults.length} faults` : failed.join('; '),
    },
    {
      what: 'no process ended by itself',
      ok: unaskedEnds.length === 0,
      found: unaskedEnds.length === 0 ? 'none' : unaskedEnds.join(', '),
    },
    {
      what: 'no failure without a fault',
      ok: unexcused.length === 0,
      found:
        unexcused.length === 0
          ? `${tally.disturbances.length} failures, each during a fault, but for ${unfaulted.length - unmachined.length} while the machine itself stood still and ${unmachined.length} while other programs used it`
          : describeUnexcused(unexcused, record),
    },
    ...record.ledger,
    ...day.map(({ ok, text }) => ({
      what: 'limits of the day equal the model',
      ok: record.crossedMidnight ? undefined : ok,
      found: record.crossedMidnight ? 'midnight passed' : text,
    })),
    { what: 'limits of the minute hold', ok: minute.ok, found: minute.text },
    {
      what: 'everything came to rest',
      ok: Object.keys(left).length === 0,
      found:
        Object.keys(left).length === 0
          ? 'nothing was under way at any quiet moment'
          : Object.entries(left)
              .map(([name, value]) => `${name} ${value}`)
              .join('; '),
    },
    {
      what: 'memory is flat',
      ok: memory.length === 0 ? undefined : grown.length === 0,
      found:
        memory.length === 0
          ? 'too short to tell'
          : `${(grown.length === 0 ? memory : grown).map(({ name }) => name).join(', ')}${grown.length === 0 ? '' : ' grew'}`,
    },
    {
      what: 'file descriptors are flat',
      ok: descriptors.length === 0 ? undefined : leaked.length === 0,
      found: descriptors.map(({ name, from, to }) => `${name} ${from}→${to}`).join(', '),
    },
  ];
}

/** Whether the machine did not run for a good part of a request: then no deadline means anything. */
function stoodStill({ startedAt, endedAt }: Disturbance, { pauses }: SoakRecord): boolean {
  return pauses.pausedMs(startedAt, endedAt) >= (endedAt - startedAt) * STANDSTILL_SHARE;
}

/** Whether a deadline was missed while other programs had much of the machine. */
function hadToWait(disturbance: Disturbance, { foreign }: SoakRecord): boolean {
  return disturbance.detail.startsWith('503 ') && foreign.overlaps(disturbance);
}

/** By kind, with the fault before, how long after its end they began, and how long they took. */
function describeUnexcused(
  unexcused: readonly Disturbance[],
  { faults, pauses }: SoakRecord,
): string {
  const groups = new Map<string, { afterMs: number[]; tookMs: number[]; pausedMs: number[] }>();
  for (const { detail, startedAt, endedAt } of unexcused) {
    const before = faults.lastBefore(startedAt);
    const key = before === undefined ? detail : `${detail} after ${before.name}`;
    const group = groups.get(key) ?? { afterMs: [], tookMs: [], pausedMs: [] };
    group.afterMs.push(startedAt - (before?.recoveredAt ?? 0));
    group.tookMs.push(endedAt - startedAt);
    group.pausedMs.push(pauses.pausedMs(startedAt, endedAt));
    groups.set(key, group);
  }
  return [...groups]
    .map(
      ([key, { afterMs, tookMs, pausedMs }]) =>
        `${key} (${afterMs.length} times, ${formatRange(afterMs)} ms after it, each took ${formatRange(tookMs)} ms, in ${formatRange(pausedMs)} of which the machine stood still)`,
    )
    .join('; ');
}

function formatRange(values: readonly number[]): string {
  return `${formatNumber(Math.min(...values), 0)} to ${formatNumber(Math.max(...values), 0)}`;
}

export function renderSoak(report: SoakReport): string {
  const { minutes, requests, seed, calmShare } = report;
  return [
    `${formatNumber(minutes, 1)} minutes, ${formatNumber(requests, 0)} requests, seed ${seed}; ${formatNumber(calmShare * 100, 0)}% of the time nothing was broken`,
    outcomeTable(report),
    listOf('Failures, each of which must have a fault to excuse it', report.disturbances),
    faultTable(report),
    memoryTable(report),
    `A revoked key was refused by every gateway after ${formatNumber(report.revocationMs.p50, 0)} ms (median), ${formatNumber(report.revocationMs.most, 0)} ms at most.`,
    table([
      ['Checks'],
      ...report.checks.map(({ what, ok, found }) => [
        `  ${ok === undefined ? '?' : ok ? '✓' : '✗'} ${what}: ${found}`,
      ]),
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
  return rows.length === 0 ? '' : table([['Faults', 'times', 'until all was well'], ...rows]);
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
    'an hour',
    'held, first',
    'last',
    'an hour',
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
