import { CONTESTANTS, type ContestantName } from '../contestants/contestant.ts';
import { summarize, type Summary } from '../measure/statistics.ts';
import { formatNumber, formatSummary, markOf, table } from '../report/table.ts';
import {
  FIGURES,
  FIGURE_NAMES,
  WORKS,
  WORK_TITLES,
  type FigureName,
  type Sample,
  type WorkName,
} from './figures.ts';
import { textOf } from './observe.ts';
import { judge, type Verdict } from './promises.ts';
import type { Comparison } from './run-comparison.ts';

export interface ComparisonReport extends Comparison {
  readonly summaries: Readonly<
    Partial<Record<ContestantName, Readonly<Partial<Record<FigureName, Summary>>>>>
  >;
  /** CPU of the processes of Sluice, in microseconds per request or event. */
  readonly processes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly load: LoadSummary;
  readonly verdicts: readonly Verdict[];
}

export interface LoadSummary {
  readonly generatorCoresMost: number;
  readonly generatorLateMsMedian: number;
  readonly foreignCoresMedian: number;
  /** Workloads with requests that were not answered in full, by contestant. */
  readonly failures: readonly string[];
}

export function reportComparison(comparison: Comparison): ComparisonReport {
  const { samples } = comparison;
  const summaries: Partial<Record<ContestantName, Partial<Record<FigureName, Summary>>>> = {};
  for (const contestant of CONTESTANTS) {
    const own: Partial<Record<FigureName, Summary>> = {};
    for (const figure of FIGURE_NAMES) {
      const summary = summarize(valuesOf(samples, contestant, figure));
      if (summary !== undefined) own[figure] = summary;
    }
    if (Object.keys(own).length > 0) summaries[contestant] = own;
  }
  return {
    ...comparison,
    summaries,
    processes: processShares(samples),
    load: loadSummary(samples),
    verdicts: judge(
      (contestant, figure) => summaries[contestant]?.[figure]?.median,
      (work) => foreignCoresIn(samples, work),
    ),
  };
}

function foreignCoresIn(samples: readonly Sample[], work: WorkName): number {
  const own = samples.filter((sample) => sample.work === work);
  return summarize(own.map(({ load }) => load.foreignCores))?.median ?? 0;
}

function valuesOf(
  samples: readonly Sample[],
  contestant: ContestantName,
  figure: FigureName,
): number[] {
  return samples
    .filter((sample) => sample.contestant === contestant)
    .map(({ figures }) => figures[figure] ?? Number.NaN)
    .filter((value) => Number.isFinite(value));
}

function processShares(samples: readonly Sample[]): Record<string, Record<string, number>> {
  const shares: Record<string, Record<string, number>> = {};
  for (const work of WORKS) {
    const own = samples.filter((sample) => sample.contestant === 'sluice' && sample.work === work);
    const names = new Set(own.flatMap(({ processes }) => Object.keys(processes)));
    for (const name of names) {
      const summary = summarize(own.map(({ processes }) => processes[name] ?? Number.NaN));
      if (summary !== undefined) (shares[work] ??= {})[name] = summary.median;
    }
  }
  return shares;
}

function loadSummary(samples: readonly Sample[]): LoadSummary {
  const summaryOf = (pick: (sample: Sample) => number) => summarize(samples.map(pick));
  return {
    generatorCoresMost: summaryOf(({ load }) => load.generatorCores)?.most ?? 0,
    generatorLateMsMedian: summaryOf(({ load }) => load.generatorLateMs)?.median ?? 0,
    foreignCoresMedian: summaryOf(({ load }) => load.foreignCores)?.median ?? 0,
    failures: samples
      .filter(({ load }) => load.failed > 0)
      .map(
        ({ round, work, contestant, load }) =>
          `${contestant}, ${work}, round ${round}: ${load.failed} (${textOf(load.failures)})`,
      ),
  };
}

/** Whether a promise is broken, or cannot be judged because Sluice itself could not be measured. */
export function breaksPromise({
  verdicts,
  notRun,
  missed,
}: Pick<ComparisonReport, 'verdicts' | 'notRun' | 'missed'>): boolean {
  return (
    verdicts.some(({ kept, isAim }) => kept === false && !isAim) ||
    notRun.sluice !== undefined ||
    missed.some(({ contestant }) => contestant === 'sluice')
  );
}

/** Renders the report as text: figures by workload, CPU by process of Sluice, and the promises. */
export function renderComparison(report: ComparisonReport): string {
  return [
    heading(report),
    ...WORKS.flatMap((work) => workTable(report, work)),
    processTable(report),
    loadText(report),
    verdictTable(report),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function heading({ machine, rounds, contestants, notRun, seconds }: ComparisonReport): string {
  return [
    `${machine.cores} cores (${machine.processor}), ${machine.kernel}, Node ${machine.node}`,
    `${rounds} interleaved ${rounds === 1 ? 'round' : 'rounds'} in ${formatNumber(seconds / 60, 1)} minutes; medians, and in brackets the least and the most of the rounds`,
    ...Object.entries(contestants).map(
      ([name, description]) => `  ${name.padEnd(8)} ${description}`,
    ),
    ...Object.entries(notRun).map(([name, reason]) => `  ${name.padEnd(8)} NOT RUN: ${reason}`),
  ].join('\n');
}

function workTable({ summaries }: ComparisonReport, work: (typeof WORKS)[number]): string[] {
  const figures = FIGURE_NAMES.filter((name) => FIGURES[name].work === work);
  const present = CONTESTANTS.filter((name) =>
    figures.some((figure) => summaries[name]?.[figure] !== undefined),
  );
  if (present.length === 0) return [];
  const rows = figures.map((name) => {
    const { title, unit, digits } = FIGURES[name];
    const cells = present.map((contestant) => formatSummary(summaries[contestant]?.[name], digits));
    return [`  ${title}, ${unit}`, ...cells];
  });
  return [table([[WORK_TITLES[work], ...present], ...rows])];
}

function processTable({ processes }: ComparisonReport): string {
  const works = WORKS.filter((work) => processes[work] !== undefined);
  if (works.length === 0) return '';
  const names = [...new Set(works.flatMap((work) => Object.keys(processes[work] ?? {})))];
  const rows = works.map((work) => [
    `  ${WORK_TITLES[work]}`,
    ...names.map((name) => {
      const value = processes[work]?.[name];
      return value === undefined ? '–' : formatNumber(value, 1);
    }),
  ]);
  return table([["Sluice's processes, µs for one request or event", ...names], ...rows]);
}

function loadText({ load, missed }: ComparisonReport): string {
  const lines = [
    `The load generator used at most ${formatNumber(load.generatorCoresMost, 2)} of a core and was ${formatNumber(load.generatorLateMsMedian, 1)} ms late at its 99th percentile (median of the works): ${load.generatorCoresMost < 0.8 ? 'it was not the bottleneck' : 'IT MAY HAVE BEEN THE BOTTLENECK'}.`,
    `Other programs used ${formatNumber(load.foreignCoresMedian, 2)} cores (median)${load.foreignCoresMedian > 0.2 ? ': times and rates suffer from it, and CPU figures somewhat' : ''}.`,
  ];
  if (missed.length > 0) {
    lines.push(
      'Not measured:',
      ...missed.map(
        ({ contestant, work, round, reason }) =>
          `  ${contestant}, ${work}, round ${round}: ${reason}`,
      ),
    );
  }
  if (load.failures.length > 0) {
    lines.push(
      'Requests that were not answered in full:',
      ...load.failures.map((line) => `  ${line}`),
    );
  }
  return lines.join('\n');
}

function verdictTable({ verdicts, samples }: ComparisonReport): string {
  // Promises about workloads that were not selected are left out.
  const works = new Set(samples.map(({ work }) => work));
  const selected = verdicts.filter(({ work }) => works.has(work));
  const promises = selected.filter(({ isAim }) => !isAim).map(verdictRow);
  const aims = selected.filter(({ isAim }) => isAim).map(verdictRow);
  return table([
    ['Promises', 'measured', 'promised'],
    ...promises,
    ...(aims.length === 0 ? [] : [['Aims', 'measured', 'aimed for'], ...aims]),
  ]);
}

function verdictRow({ promise, value, limit, unit, kept, disturbance }: Verdict): string[] {
  const note = disturbance === undefined ? '' : `; not judged, ${disturbance}`;
  return [
    `  ${markOf(kept)} ${promise}`,
    value === undefined ? 'not measured' : `${formatNumber(value, 2)} ${unit}`,
    `at most ${formatNumber(limit, 2)} ${unit}${note}`,
  ];
}
