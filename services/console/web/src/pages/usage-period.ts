export type UsageUnit = 'hour' | 'day' | 'month';
export const PERIODS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Period = (typeof PERIODS)[number];

const hour = 3_600_000;
const day = 24 * hour;
const days: Readonly<Record<Period, number>> = {
  day: 1,
  week: 7,
  month: 30,
  quarter: 90,
  year: 365,
};

export const unitOf = (period: Period): UsageUnit =>
  period === 'day' ? 'hour' : period === 'year' ? 'month' : 'day';

export interface Span {
  readonly since: number;
  readonly until: number;
}

/** Whole groups of UTC that end with the present one, so that the span stays the same until the next group begins. */
export function spanOf(period: Period, now: number): Span {
  const unit = unitOf(period);
  if (unit === 'month') {
    const at = new Date(now);
    const month = (ahead: number): number =>
      Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead, 1);
    return { since: month(-11), until: month(1) };
  }
  const length = unit === 'hour' ? hour : day;
  const until = (Math.floor(now / length) + 1) * length;
  return { since: until - days[period] * day, until };
}

/** The starts of all groups of a span, also of those in which nothing was used. */
export function groupStarts({ since, until }: Span, unit: UsageUnit): number[] {
  const starts: number[] = [];
  let at = since;
  while (at < until) {
    starts.push(at);
    const date = new Date(at);
    at =
      unit === 'month'
        ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
        : at + (unit === 'hour' ? hour : day);
  }
  return starts;
}
