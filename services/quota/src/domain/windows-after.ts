import type { LimitWindow, LimitWindows, Limits } from '@sluice/contracts';

/** What an organization has used of its limits, as the store keeps it. */
export interface Used {
  /** What its minute limits have to refill, in 1/60000. */
  readonly requestsDeficit: number;
  readonly tokensDeficit: number;
  /** On the day that is counted. */
  readonly requestsToday: number;
  readonly tokensToday: number;
}

const MINUTE_MS = 60_000;

/**
 * What the headers say of the four limits. Deficits and limits are integers below 2^53, and a quotient of two such
 * is never rounded to an integer that it is not; a count that is larger is beyond every limit. `restOfDay` is what is
 * left of the day that is counted, in milliseconds.
 */
export function windowsAfter(used: Used, limits: Limits, restOfDay: number): LimitWindows {
  return {
    requests_per_minute: minuteWindow(limits.requests_per_minute, used.requestsDeficit),
    requests_per_day: dayWindow(limits.requests_per_day, used.requestsToday, restOfDay),
    tokens_per_minute: minuteWindow(limits.tokens_per_minute, used.tokensDeficit),
    tokens_per_day: dayWindow(limits.tokens_per_day, used.tokensToday, restOfDay),
  };
}

/** A millisecond refills as many of the deficit's units as the limit is. */
function minuteWindow(limit: number | null, deficit: number): LimitWindow | null {
  if (limit === null) return null;
  return {
    limit,
    remaining: limit - Math.ceil(deficit / MINUTE_MS),
    resetMs: limit === 0 ? 0 : Math.ceil(deficit / limit),
  };
}

/** More may have been used than a limit allows that was lowered since. */
function dayWindow(limit: number | null, used: number, resetMs: number): LimitWindow | null {
  return limit === null ? null : { limit, remaining: Math.max(0, limit - used), resetMs };
}
