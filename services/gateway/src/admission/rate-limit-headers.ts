import {
  RATE_LIMIT_HEADERS,
  type LimitName,
  type LimitWindow,
  type LimitWindows,
} from '@sluice/contracts';

const REQUEST_LIMITS: readonly LimitName[] = ['requests_per_minute', 'requests_per_day'];
const ALL_LIMITS: readonly LimitName[] = [...REQUEST_LIMITS, 'tokens_per_minute', 'tokens_per_day'];

/** Adds three headers (limit, remaining, reset) for each limit of the organization. */
export function addRateLimitHeaders(
  headers: Record<string, string>,
  windows: LimitWindows,
  { tokens }: { readonly tokens: boolean },
): void {
  for (const name of tokens ? ALL_LIMITS : REQUEST_LIMITS) {
    const window = windows[name];
    if (window !== null) addHeaders(headers, RATE_LIMIT_HEADERS[name], window);
  }
}

function addHeaders(
  headers: Record<string, string>,
  names: (typeof RATE_LIMIT_HEADERS)[LimitName],
  { limit, remaining, resetMs }: LimitWindow,
): void {
  headers[names.limit] = String(limit);
  headers[names.remaining] = String(Math.floor(remaining));
  headers[names.reset] = resetText(resetMs);
}

/** Seconds, rounded up to the millisecond, without trailing zeros: `0s`, `0.12s`, `86347.454s`. */
export function resetText(milliseconds: number): string {
  return `${Math.ceil(milliseconds) / 1_000}s`;
}
