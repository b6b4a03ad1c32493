import { trendOf } from '../measure/statistics.ts';

export interface Point {
  readonly at: number;
  /** The memory in KiB. */
  readonly value: number;
}

export interface Growth {
  readonly ok: boolean;
  readonly points: number;
  readonly startKib: number;
  readonly endKib: number;
  readonly kibPerHour: number;
}

const HOUR_MS = 3_600_000;
/** Growth up to this share of the first value is tolerated. */
const TOLERATED_SHARE = 0.1;
/** With fewer points, the slope is not certain. */
const MIN_POINTS = 5;

/**
 * Whether memory grows. It is judged by the slope over all points, so that one high point has no effect. Memory grows
 * when the slope is certain and the total growth exceeds the tolerance. Undefined for too few points.
 */
export function judgeGrowth(
  points: readonly Point[],
  { since, toleratedKib }: { since: number; toleratedKib: number },
): Growth | undefined {
  const judged = points.filter(({ at }) => at >= since);
  const first = judged[0];
  const last = judged.at(-1);
  if (first === undefined || last === undefined || judged.length < MIN_POINTS) return undefined;
  const { slope, low } = trendOf(judged);
  const growth = slope * (last.at - first.at);
  const isGrowing = low > 0 && growth > toleratedKib && growth > TOLERATED_SHARE * first.value;
  return {
    ok: !isGrowing,
    points: judged.length,
    startKib: first.value,
    endKib: last.value,
    kibPerHour: slope * HOUR_MS,
  };
}
