/** Statistics of measured values. Without values, the result is NaN or undefined. */

/** The largest accepted probability that a range does not contain the true value. */
const MAX_OUTSIDE = 0.05;

export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).toSorted();
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.ceil(share * sorted.length) - 1;
  return sorted[Math.min(sorted.length - 1, Math.max(0, rank))] ?? Number.NaN;
}

/** The median. For an even count, it is the mean of the two values in the middle. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).toSorted();
  if (sorted.length === 0) return Number.NaN;
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}

export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly count: number;
}

/** The median and the spread of the rounds. Undefined when nothing was measured. */
export function summarize(values: readonly number[]): Summary | undefined {
  const usable = values.filter((value) => Number.isFinite(value));
  if (usable.length === 0) return undefined;
  return {
    median: median(usable),
    least: Math.min(...usable),
    most: Math.max(...usable),
    count: usable.length,
  };
}

/**
 * A range that contains the true median with at least 95% certainty, for any distribution (sign test). Undefined for
 * fewer than six values.
 */
export function medianRange(
  values: readonly number[],
): { readonly low: number; readonly high: number } | undefined {
  const sorted = Float64Array.from(values.filter(Number.isFinite)).toSorted();
  const count = sorted.length;
  // The probability that this many values lie on one side of the median, by the binomial distribution.
  let exactly = 0.5 ** count;
  let atMost = exactly;
  if (2 * atMost > MAX_OUTSIDE) return undefined;
  let dropped = 0;
  for (;;) {
    exactly *= (count - dropped) / (dropped + 1);
    atMost += exactly;
    if (2 * atMost > MAX_OUTSIDE) break;
    dropped += 1;
  }
  return { low: sorted[dropped] ?? Number.NaN, high: sorted[count - 1 - dropped] ?? Number.NaN };
}

export interface Trend {
  /** Change of the value per unit of time: the median of all pairs. */
  readonly slope: number;
  /** A range that contains the true slope with about 95% certainty. */
  readonly low: number;
  readonly high: number;
}

/**
 * The Theil–Sen slope: the median of the slopes of all pairs of points. Unlike least squares, it is robust to a few
 * high points, for example a process shortly before a garbage collection.
 */
export function trendOf(points: readonly { readonly at: number; readonly value: number }[]): Trend {
  const slopes: number[] = [];
  for (const [index, first] of points.entries()) {
    for (const second of points.slice(index + 1)) {
      if (second.at !== first.at) {
        slopes.push((second.value - first.value) / (second.at - first.at));
      }
    }
  }
  slopes.sort((one, other) => one - other);
  const count = points.length;
  // Kendall's variance gives the ranks between which the slope lies. 1.96 standard deviations cover 95%.
  const reach = 1.96 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const rankLow = Math.max(0, Math.floor((slopes.length - reach) / 2));
  const rankHigh = Math.min(slopes.length - 1, Math.ceil((slopes.length + reach) / 2));
  return {
    slope: median(slopes),
    low: slopes[rankLow] ?? Number.NaN,
    high: slopes[rankHigh] ?? Number.NaN,
  };
}
