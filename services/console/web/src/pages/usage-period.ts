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

const units: Readonly<Record<Period, UsageUnit>> = {
  day: 'hour',
  week: 'day',
  month: 'day',
  quarter: 'day',
  year: 'month',
};

/** The unit of time that each column of the chart has. */
export const unitOf = (period: Period): UsageUnit => units[period];

export interface Span {
  readonly since: number;
  readonly until: number;
}

/** The present month of UTC. */
export function monthOf(now: number): Span {
  const at = new Date(now);
  const start = (ahead: number): number =>
    Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead, 1);
  return { since: start(0), until: start(1) };
}

/**
 * The whole hours, days or months of UTC of a period, up to the end of the current one. The span stays the same until
 * the next hour, day or month begins, and so does the query for it.
 */
export function spanOf(period: Period, now: number): Span {
  const unit = unitOf(period);
  if (unit === 'month') {
    const { since, until } = monthOf(now);
    const first = new Date(since);
    return { since: Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - 11, 1), until };
  }
  const length = unit === 'hour' ? hour : day;
  const until = (Math.floor(now / length) + 1) * length;
  return { since: until - days[period] * day, until };
}

/** The starts of all hours, days or months of a span, including those without usage. */
export function groupStarts({ since, until }: Span, unit: UsageUnit): number[] {
  const starts: number[] = [];
  for (let at = since; at < until; at = nextStart(at, unit)) starts.push(at);
  return starts;
}

function nextStart(at: number, unit: UsageUnit): number {
  if (unit === 'hour') return at + hour;
  if (unit === 'day') return at + day;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
