import { trendOf } from '../measure/statistics.ts';

export interface Point {
  readonly at: number;
  /** In KiB. */
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
const TOLERATED_SHARE = 0.1;
const LEAST_POINTS = 5;

/**
 * Whether memory grows: by the slope over all points, so that one high point proves nothing, and only when
 * it is certain that there is a slope, and when it adds up to more than what may be. Undefined for too few
 * points.
 */
export function judgeGrowth(
  points: readonly Point[],
  { since, toleratedKib }: { since: number; toleratedKib: number },
): Growth | undefined {
  const judged = points.filter(({ at }) => at >= since);
  const first = judged[0];
  const last = judged.at(-1);
  if (first === undefined || last === undefined || judged.length < LEAST_POINTS) return undefined;
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
