import { isBusyWithOthers } from '../measure/busy-machine.ts';
import { median, percentile } from '../measure/statistics.ts';
import { formatNumber, table } from '../report/table.ts';
import type { KindName } from './kinds.ts';
import type { Measurement } from './measurement.ts';

const LONGEST_BLOCK_MS = 50;
const MAX_DELAY = 1.5;

export interface Delay {
  /** Medians of the rounds, in milliseconds. */
  readonly harmless_p99_ms: number;
  readonly hostile_p99_ms: number;
  /**
   * The median of the ratios of all rounds. Both values of a ratio come from the same round, so that a slow minute
   * affects both.
   */
  readonly ratio: number;
}

export interface KindReport {
  readonly kind: KindName;
  readonly bytes: number;
  readonly connections: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly rounds: number;
  /** Rounds whose times are meaningless because other programs used too much of the processors. */
  readonly disturbed: number;
  readonly block_ms: number;
  /** The process with the longest event-loop block. */
  readonly blocked: string;
  readonly harmless_block_ms: number;
  readonly requests: Delay;
  readonly gaps: Delay;
  readonly failed: number;
  readonly keeps_loops: boolean;
  /** Undefined when every round was disturbed. */
  readonly keeps_pace: boolean | undefined;
}

interface Round {
  readonly hostile: Measurement;
  readonly harmless: Measurement;
}

export function reportKind(kind: KindName, measurements: readonly Measurement[]): KindReport {
  const hostile = measurements.filter((one) => one.kind === kind && one.load === 'hostile');
  const harmless = measurements.filter((one) => one.kind === kind && one.load === 'harmless');
  const rounds = hostile.flatMap((one): Round[] => {
    const other = harmless.find(({ round }) => round === one.round);
    return other === undefined ? [] : [{ hostile: one, harmless: other }];
  });
  const quiet = rounds.filter(
    (round) =>
      !isBusyWithOthers(round.hostile.foreignCores) &&
      !isBusyWithOthers(round.harmless.foreignCores),
  );
  const shown = quiet.length > 0 ? quiet : rounds;
  const requests = delayOf(shown, ({ requestsMs }) => requestsMs);
  const gaps = delayOf(shown, ({ gapsMs }) => gapsMs);
  const block = longestBlock(hostile);
  return {
    kind,
    bytes: hostile[0]?.bytes ?? 0,
    connections: hostile[0]?.connections ?? 0,
    statuses: sumOfStatuses(hostile),
    rounds: rounds.length,
    disturbed: rounds.length - quiet.length,
    block_ms: block.ms,
    blocked: block.name,
    harmless_block_ms: longestBlock(harmless).ms,
    requests,
    gaps,
    failed: hostile.reduce((sum, { failed }) => sum + failed, 0),
    keeps_loops: block.ms <= LONGEST_BLOCK_MS,
    keeps_pace: quiet.length === 0 ? undefined : Math.max(requests.ratio, gaps.ratio) <= MAX_DELAY,
  };
}

function delayOf(rounds: readonly Round[], of: (one: Measurement) => readonly number[]): Delay {
  const p99 = (one: Measurement) => percentile(of(one), 0.99);
  return {
    harmless_p99_ms: median(rounds.map(({ harmless }) => p99(harmless))),
    hostile_p99_ms: median(rounds.map(({ hostile }) => p99(hostile))),
    ratio: median(rounds.map(({ hostile, harmless }) => p99(hostile) / p99(harmless))),
  };
}

function longestBlock(measurements: readonly Measurement[]): { name: string; ms: number } {
  let longest = { name: '', ms: 0 };
  for (const { blocksMs } of measurements) {
    for (const [name, ms] of Object.entries(blocksMs)) {
      if (ms > longest.ms) longest = { name, ms };
    }
  }
  return longest;
}

function sumOfStatuses(measurements: readonly Measurement[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { statuses } of measurements) {
    for (const [status, count] of Object.entries(statuses)) {
      sum[status] = (sum[status] ?? 0) + count;
    }
  }
  return sum;
}

export function keepsAll(reports: readonly KindReport[]): boolean {
  return reports.every(
    ({ keeps_loops: loops, keeps_pace: pace, failed }) => loops && pace !== false && failed === 0,
  );
}

export function renderNeighbours(reports: readonly KindReport[]): string {
  const heading = [
    'hostile, beside harmless of as many bytes',
    'KiB',
    'connections',
    'answered',
    'blocked, ms',
    'process',
    'harmless',
    'request p99, ms',
    'harmless',
    'ratio',
    'event gap p99, ms',
    'harmless',
    'ratio',
  ];
  const rows = reports.map((report) => [
    `${report.keeps_loops && report.keeps_pace !== false && report.failed === 0 ? '✓' : '✗'} ${report.kind}`,
    formatNumber(report.bytes / 1_024, 0),
    String(report.connections),
    Object.keys(report.statuses).join(' ') || '–',
    formatNumber(report.block_ms, 0),
    report.blocked === '' ? '–' : report.blocked,
    formatNumber(report.harmless_block_ms, 0),
    ...delayCells(report.requests),
    ...delayCells(report.gaps),
  ]);
  return [table([heading, ...rows]), '', ...verdicts(reports)].join('\n');
}

function delayCells({
  hostile_p99_ms: hostile,
  harmless_p99_ms: harmless,
  ratio,
}: Delay): string[] {
  return [formatNumber(hostile, 1), formatNumber(harmless, 1), `${formatNumber(ratio, 2)} ×`];
}

function verdicts(reports: readonly KindReport[]): string[] {
  const named = (kept: (report: KindReport) => boolean) =>
    reports.filter((report) => !kept(report)).map(({ kind }) => kind);
  const line = (promise: string, broken: readonly string[], note = '') =>
    `  ${broken.length === 0 ? '✓' : '✗'} ${promise}: ${broken.length === 0 ? 'none' : broken.join('; ')}${note}`;
  const unjudged = reports.filter(({ keeps_pace: pace }) => pace === undefined).length;
  return [
    line(
      `no kind blocks an event loop for more than ${LONGEST_BLOCK_MS} ms`,
      named(({ keeps_loops: kept }) => kept),
    ),
    line(
      `no kind raises the p99 of the innocent above ${MAX_DELAY} times that beside harmless load`,
      named(({ keeps_pace: kept }) => kept !== false),
      unjudged === 0 ? '' : ` (${unjudged} not judged: other programs used too much)`,
    ),
    line(
      'no request of the innocent fails',
      named(({ failed }) => failed === 0),
    ),
  ];
}
