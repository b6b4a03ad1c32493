import { isBusyWithOthers, ranTooSlowly } from '../measure/busy-machine.ts';
import { percentile, summarize, type Summary } from '../measure/statistics.ts';
import { formatNumber, formatSummary, markOf, table } from '../report/table.ts';
import type { Rate } from './measure-quota.ts';

export const TENANCIES = ['hot', 'zipf'] as const;
export type Tenancy = (typeof TENANCIES)[number];
export const TENANCY_TITLES: Readonly<Record<Tenancy, string>> = {
  hot: 'one hot organization',
  zipf: '10,000 organizations (Zipf)',
};
/** Decisions in one call of the script when decisions are coalesced. */
export const COALESCED = 32;

const P99_OF_ALL = '  p99 with those, ms';
const LEFT_OUT = 'left out: the machine was paused or ran slowly, %';

/** The measurements of all rounds for one distribution of requests over organizations. */
export interface Measured {
  readonly bare: Rate[];
  readonly bareCoalesced: Rate[];
  /** Redis alone at half load with one decision a call. It shows how steady the machine is. */
  readonly bareHalf: Rate[];
  readonly quota: Rate[];
  readonly half: Rate[];
}

interface TenancyReport {
  readonly bare_per_redis_core: Summary | undefined;
  readonly bare_per_second: Summary | undefined;
  readonly bare_coalesced_per_redis_core: Summary | undefined;
  readonly bare_half_load_per_second: Summary | undefined;
  readonly bare_half_load_p50_ms: Summary | undefined;
  readonly bare_half_load_p99_ms: Summary | undefined;
  readonly bare_half_load_p99_of_all_ms: Summary | undefined;
  readonly bare_half_load_left_out: Summary | undefined;
  readonly quota_per_quota_core: Summary | undefined;
  readonly quota_per_second: Summary | undefined;
  readonly quota_redis_us: Summary | undefined;
  readonly half_load_per_second: Summary | undefined;
  readonly half_load_p50_ms: Summary | undefined;
  readonly half_load_p99_ms: Summary | undefined;
  readonly half_load_p99_of_all_ms: Summary | undefined;
  readonly half_load_left_out: Summary | undefined;
  readonly undecided: number;
  readonly undecided_in_pauses: number;
  /** Cores used by programs outside the benchmark. */
  readonly foreign_cores: Summary | undefined;
}

interface QuotaReport {
  readonly tenancies: Readonly<Record<Tenancy, TenancyReport>>;
  readonly promises: readonly {
    readonly promise: string;
    /**
     * An aim is reported, but a missed aim does not fail the run. Some complete runs on shared machines have missed it.
     */
    readonly isAim?: true;
    readonly value: number;
    readonly limit: string;
    /** Undefined for a time when other programs used too much of the machine or when it was too slow. */
    readonly kept: boolean | undefined;
  }[];
}

export function summarizeQuota(measured: Readonly<Record<Tenancy, Measured>>): QuotaReport {
  const tenancies = { hot: summarizeOne(measured.hot), zipf: summarizeOne(measured.zipf) };
  const ratio = ({ quota_per_quota_core, bare_per_redis_core }: TenancyReport) =>
    (quota_per_quota_core?.median ?? Number.NaN) / (bare_per_redis_core?.median ?? Number.NaN);
  const hot = ratio(tenancies.hot);
  const zipf = ratio(tenancies.zipf);
  const p99 = Math.max(
    ...TENANCIES.map((tenancy) => tenancies[tenancy].half_load_p99_ms?.median ?? Number.NaN),
  );
  const undecided = tenancies.hot.undecided + tenancies.zipf.undecided;
  const busy = TENANCIES.some((name) =>
    isBusyWithOthers(tenancies[name].foreign_cores?.median ?? 0),
  );
  const tooSlow = TENANCIES.some((name) =>
    ranTooSlowly(tenancies[name].half_load_left_out?.median ?? 0),
  );
  const isJudged = !busy && !tooSlow;
  return {
    tenancies,
    promises: [
      {
        promise: 'hot: decisions per quota core over single calls per Redis core',
        value: hot,
        limit: 'more than 1 ×',
        kept: hot > 1,
      },
      {
        promise: 'Zipf: decisions per quota core over single calls per Redis core',
        value: zipf,
        limit: 'at least 0.5 ×',
        kept: zipf >= 0.5,
      },
      {
        promise: 'aim: p99 at half load, ms',
        isAim: true,
        value: p99,
        limit: 'under 5 ms',
        kept: isJudged ? p99 < 5 : undefined,
      },
      {
        promise: 'without a decision in time',
        value: undecided,
        limit: 'none',
        kept: isJudged ? undecided === 0 : undefined,
      },
    ],
  };
}

function summarizeOne({ bare, bareCoalesced, bareHalf, quota, half }: Measured): TenancyReport {
  const core = (microseconds: number) => 1_000_000 / microseconds;
  const latency = (rates: readonly Rate[], share: number) =>
    summarize(rates.map(({ latencyMs }) => percentile(latencyMs, share)));
  const p99OfAll = (rates: readonly Rate[]) =>
    summarize(rates.map(({ allLatencyMs }) => percentile(allLatencyMs, 0.99)));
  return {
    bare_per_redis_core: summarize(bare.map((rate) => core(rate.redisMicroseconds))),
    bare_per_second: summarize(bare.map(({ perSecond }) => perSecond)),
    bare_coalesced_per_redis_core: summarize(
      bareCoalesced.map((rate) => core(rate.redisMicroseconds)),
    ),
    bare_half_load_per_second: summarize(bareHalf.map(({ perSecond }) => perSecond)),
    bare_half_load_p50_ms: latency(bareHalf, 0.5),
    bare_half_load_p99_ms: latency(bareHalf, 0.99),
    bare_half_load_p99_of_all_ms: p99OfAll(bareHalf),
    bare_half_load_left_out: summarize(bareHalf.map(({ leftOutShare }) => leftOutShare * 100)),
    quota_per_quota_core: summarize(quota.map((rate) => core(rate.quotaMicroseconds))),
    quota_per_second: summarize(quota.map(({ perSecond }) => perSecond)),
    quota_redis_us: summarize(quota.map(({ redisMicroseconds }) => redisMicroseconds)),
    half_load_per_second: summarize(half.map(({ perSecond }) => perSecond)),
    half_load_p50_ms: latency(half, 0.5),
    half_load_p99_ms: latency(half, 0.99),
    half_load_p99_of_all_ms: p99OfAll(half),
    half_load_left_out: summarize(half.map(({ leftOutShare }) => leftOutShare * 100)),
    undecided: sumOf([...quota, ...half], ({ undecided }) => undecided),
    foreign_cores: summarize(
      [...bare, ...bareCoalesced, ...bareHalf, ...quota, ...half].map(
        ({ foreignCores }) => foreignCores,
      ),
    ),
    undecided_in_pauses: sumOf([...quota, ...half], (rate) => rate.undecidedInPauses),
  };
}

function sumOf(rates: readonly Rate[], pick: (rate: Rate) => number): number {
  return rates.reduce((sum, rate) => sum + pick(rate), 0);
}

export function renderQuota({ tenancies, promises }: QuotaReport): string {
  const row = (title: string, pick: (report: TenancyReport) => Summary | undefined, digits = 0) => [
    `  ${title}`,
    ...TENANCIES.map((tenancy) => formatSummary(pick(tenancies[tenancy]), digits)),
  ];
  const figures = table([
    ['Decisions on four limits', ...TENANCIES.map((tenancy) => TENANCY_TITLES[tenancy])],
    row(
      'Redis alone, one a call: decisions/s per Redis core',
      (report) => report.bare_per_redis_core,
    ),
    row('  in this run, /s', (report) => report.bare_per_second),
    row(
      `Redis alone, ${COALESCED} a call: decisions/s per Redis core`,
      (report) => report.bare_coalesced_per_redis_core,
    ),
    row('Redis alone at half of its load: /s', (report) => report.bare_half_load_per_second),
    row('  p50, ms', (report) => report.bare_half_load_p50_ms, 2),
    row('  p99, ms', (report) => report.bare_half_load_p99_ms, 2),
    row(`  ${LEFT_OUT}`, (report) => report.bare_half_load_left_out),
    row(P99_OF_ALL, (report) => report.bare_half_load_p99_of_all_ms, 2),
    row('quota over gRPC: decisions/s per quota core', (report) => report.quota_per_quota_core),
    row('  in this run, /s', (report) => report.quota_per_second),
    row('  CPU of Redis per decision, µs', (report) => report.quota_redis_us, 2),
    row('at half of that load: /s', (report) => report.half_load_per_second),
    row('  p50, ms', (report) => report.half_load_p50_ms, 2),
    row('  p99, ms', (report) => report.half_load_p99_ms, 2),
    row(`  ${LEFT_OUT}`, (report) => report.half_load_left_out),
    row(P99_OF_ALL, (report) => report.half_load_p99_of_all_ms, 2),
    ['  without a decision in time', ...TENANCIES.map((name) => String(tenancies[name].undecided))],
    [
      '  the same while the machine was paused or ran slowly',
      ...TENANCIES.map((name) => String(tenancies[name].undecided_in_pauses)),
    ],
    row('cores used by other programs', (report) => report.foreign_cores, 2),
  ]);
  const verdicts = promises.map(({ promise, value, limit, kept }) => [
    `  ${markOf(kept)} ${promise}`,
    formatNumber(value, 2),
    kept === undefined ? `${limit}; not judged, too little of the machine was left for it` : limit,
  ]);
  return `${figures}\n\n${table([['Promises', 'measured', 'promised'], ...verdicts])}`;
}
