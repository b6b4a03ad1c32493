import type { FigureName, Sample, WorkName } from '../compare/figures.ts';
import { isBusyWithOthers } from '../measure/busy-machine.ts';
import { median, medianRange } from '../measure/statistics.ts';

/** What is compared of each work. The works that collect garbage come last. */
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
  /** Medians of the rounds that count; of all rounds where none counts. */
  readonly old: number;
  readonly new: number;
  /** The median of the ratios of each round: a slow minute is in both of its halves. */
  readonly ratio: number;
  /** Holds the true ratio with 95% certainty; undefined for too few rounds. */
  readonly range: { readonly low: number; readonly high: number } | undefined;
  /** Rounds that count. */
  readonly rounds: number;
  /** Rounds left out, because other programs used the processors. */
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

/** `most` is the ratio of new to old that is allowed, such as 1.05. */
export function compareFigures(
  samples: VersionSamples,
  works: readonly ComparedWork[],
  most: number,
): FigureComparison[] {
  return works.flatMap((work) => {
    const rounds = roundsOf(samples, work);
    return COMPARED[work].map((figure) => compareFigure(work, figure, rounds, most));
  });
}

/** Works of which the rounds so far leave a figure open. */
export function openWorks(comparisons: readonly FigureComparison[]): ReadonlySet<ComparedWork> {
  return new Set(comparisons.filter(({ verdict }) => verdict === 'open').map(({ work }) => work));
}

/** A figure that could not be measured is no better than one that is too high. */
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
  most: number,
): FigureComparison {
  const quiet = rounds.filter((round) => !isDisturbed(round.old) && !isDisturbed(round.new));
  const shown = quiet.length > 0 ? quiet : rounds;
  const of = (sample: Sample) => sample.figures[figure] ?? Number.NaN;
  const ratios = shown.map((round) => of(round.new) / of(round.old));
  const range = medianRange(ratios);
  return {
    work,
    figure,
    old: median(shown.map((round) => of(round.old))),
    new: median(shown.map((round) => of(round.new))),
    ratio: median(ratios),
    range,
    rounds: quiet.length,
    disturbed: rounds.length - quiet.length,
    verdict: range === undefined || quiet.length === 0 ? 'open' : verdictOf(range, most),
  };
}

/** Processors whose caches are used by other programs make everything cost more, and not evenly. Memory they leave alone. */
function isDisturbed({ work, load }: Sample): boolean {
  return work !== 'idle' && isBusyWithOthers(load.foreignCores);
}

function verdictOf({ low, high }: { low: number; high: number }, most: number): Verdict {
  if (high <= most) return 'within';
  return low > most ? 'costlier' : 'open';
}
