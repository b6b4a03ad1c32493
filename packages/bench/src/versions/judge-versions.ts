import type { FigureName, Sample, WorkName } from '../compare/figures.ts';
import { isBusyWithOthers } from '../measure/busy-machine.ts';
import { median, medianRange } from '../measure/statistics.ts';

/** The figures that are compared for each workload. The workload with garbage collections is last. */
export const COMPARED = {
  requests: ['gateway_us_per_request', 'all_us_per_request'],
  paced: ['gateway_us_per_paced_event', 'all_us_per_paced_event'],
  unpaced: ['gateway_us_per_unpaced_event', 'all_us_per_unpaced_event'],
  idle: ['gateway_kib_per_stream', 'gateway_kib_held_per_stream', 'all_kib_per_stream'],
} as const satisfies Partial<Record<WorkName, readonly FigureName[]>>;

export type ComparedWork = keyof typeof COMPARED;

export const COMPARED_WORKS = [
  'requests',
  'paced',
  'unpaced',
  'idle',
] as const satisfies ComparedWork[];

/**
 * - `within`: the new version costs no more than the limit allows.
 * - `costlier`: it costs more.
 * - `open`: the rounds so far do not tell.
 */
export type Verdict = 'within' | 'costlier' | 'open';

export interface FigureComparison {
  readonly work: ComparedWork;
  readonly figure: FigureName;
  /** Medians of the undisturbed rounds, or of all rounds if every one was disturbed. */
  readonly old: number;
  readonly new: number;
  /**
   * The median of the ratios of all rounds. Both values of a ratio come from the same round, so that a slow minute
   * affects both.
   */
  readonly ratio: number;
  /** Contains the true ratio with 95% certainty. Undefined for too few rounds. */
  readonly range: { readonly low: number; readonly high: number } | undefined;
  /** Number of undisturbed rounds. */
  readonly rounds: number;
  /** Rounds left out because other programs used the processors. */
  readonly disturbed: number;
  readonly verdict: Verdict;
}

export interface VersionSamples {
  readonly old: readonly Sample[];
  readonly new: readonly Sample[];
}

interface Round {
  readonly old: Sample;
  readonly new: Sample;
}

/** `maxRatio` is the maximum ratio of new to old, for example 1.05. */
export function compareFigures(
  samples: VersionSamples,
  works: readonly ComparedWork[],
  maxRatio: number,
): FigureComparison[] {
  return works.flatMap((work) => {
    const rounds = roundsOf(samples, work);
    return COMPARED[work].map((figure) => compareFigure(work, figure, rounds, maxRatio));
  });
}

/** Workloads with at least one figure whose verdict is still `open`. */
export function openWorks(comparisons: readonly FigureComparison[]): ReadonlySet<ComparedWork> {
  return new Set(comparisons.filter(({ verdict }) => verdict === 'open').map(({ work }) => work));
}

/** A figure that could not be measured is not accepted. */
export function isAccepted(comparisons: readonly FigureComparison[]): boolean {
  return comparisons.every(
    ({ verdict, rounds, disturbed }) => verdict !== 'costlier' && rounds + disturbed > 0,
  );
}

function roundsOf(samples: VersionSamples, work: ComparedWork): Round[] {
  const after = new Map(
    samples.new.filter((sample) => sample.work === work).map((sample) => [sample.round, sample]),
  );
  return samples.old.flatMap((before): Round[] => {
    const other = before.work === work ? after.get(before.round) : undefined;
    return other === undefined ? [] : [{ old: before, new: other }];
  });
}

function compareFigure(
  work: ComparedWork,
  figure: FigureName,
  rounds: readonly Round[],
  maxRatio: number,
): FigureComparison {
  const quiet = rounds.filter((round) => !isDisturbed(round.old) && !isDisturbed(round.new));
  const shown = quiet.length > 0 ? quiet : rounds;
  const valueOf = (sample: Sample) => sample.figures[figure] ?? Number.NaN;
  const ratios = shown.map((round) => valueOf(round.new) / valueOf(round.old));
  const range = medianRange(ratios);
  return {
    work,
    figure,
    old: median(shown.map((round) => valueOf(round.old))),
    new: median(shown.map((round) => valueOf(round.new))),
    ratio: median(ratios),
    range,
    rounds: quiet.length,
    disturbed: rounds.length - quiet.length,
    verdict: range === undefined || quiet.length === 0 ? 'open' : verdictOf(range, maxRatio),
  };
}

/**
 * Whether other programs disturbed a measurement. They evict processor caches, which raises all CPU costs by varying
 * amounts. Memory is not affected.
 */
function isDisturbed({ work, load }: Sample): boolean {
  return work !== 'idle' && isBusyWithOthers(load.foreignCores);
}

function verdictOf({ low, high }: { low: number; high: number }, maxRatio: number): Verdict {
  if (high <= maxRatio) return 'within';
  return low > maxRatio ? 'costlier' : 'open';
}
