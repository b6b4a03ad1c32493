import { summarize, type Summary } from '../measure/statistics.ts';
import { formatNumber, formatSummary, table } from '../report/table.ts';
import { IN_FLIGHT, type LookUpRate } from './measure-look-ups.ts';

export interface CatalogReport {
  readonly keys: number;
  readonly create_per_second: number;
  readonly empty_start_ms: number;
  readonly full_start_ms: number;
  readonly empty_resident_kib: number;
  readonly full_resident_kib: number;
  readonly bytes_per_key: number;
  readonly resolve: RateReport;
  readonly transport: RateReport;
  readonly wrong_answers: number;
}

interface RateReport {
  readonly per_second: Summary | undefined;
  readonly per_core: Summary | undefined;
  readonly p50_ms: Summary | undefined;
  readonly p99_ms: Summary | undefined;
}

export function summarizeRates(rates: readonly LookUpRate[]): RateReport {
  return {
    per_second: summarize(rates.map(({ perSecond }) => perSecond)),
    per_core: summarize(rates.map(({ perCore }) => perCore)),
    p50_ms: summarize(rates.map(({ p50 }) => p50)),
    p99_ms: summarize(rates.map(({ p99 }) => p99)),
  };
}

export function renderCatalog(report: CatalogReport): string {
  const memory = table([
    ['The catalog', 'empty', `${formatNumber(report.keys, 0)} keys`],
    [
      '  from start to ready, ms',
      formatNumber(report.empty_start_ms, 0),
      formatNumber(report.full_start_ms, 0),
    ],
    [
      '  resident memory, MiB',
      formatNumber(report.empty_resident_kib / 1_024, 1),
      formatNumber(report.full_resident_kib / 1_024, 1),
    ],
    ['  bytes per key', '', formatNumber(report.bytes_per_key, 0)],
  ]);
  const rates = table([
    [`Resolving credentials, ${IN_FLIGHT} at once`, 'catalog', 'the same call, constant answer'],
    [
      '  answers/s per core of the server',
      formatSummary(report.resolve.per_core, 0),
      formatSummary(report.transport.per_core, 0),
    ],
    [
      '  answers/s in this run',
      formatSummary(report.resolve.per_second, 0),
      formatSummary(report.transport.per_second, 0),
    ],
    [
      '  p50, ms',
      formatSummary(report.resolve.p50_ms, 2),
      formatSummary(report.transport.p50_ms, 2),
    ],
    [
      '  p99, ms',
      formatSummary(report.resolve.p99_ms, 2),
      formatSummary(report.transport.p99_ms, 2),
    ],
  ]);
  return [
    memory,
    rates,
    `Keys made through the admin port, 16 at once: ${formatNumber(report.create_per_second, 0)}/s. Wrong answers: ${report.wrong_answers}.`,
  ].join('\n\n');
}
