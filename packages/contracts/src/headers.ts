import type { LimitName } from './limits.ts';

/** HTTP header names of the interface, each once, in lower case as Node writes and reads them. */
export const HeaderName = {
  /** Also of the metadata in which it travels between services. */
  requestId: 'x-request-id',
  serverRequestId: 'x-server-request-id',
  retryAfter: 'retry-after',
  retryAfterMs: 'retry-after-ms',
  shouldRetry: 'x-should-retry',
} as const;

/** A deployment may rename it; see the gateway's settings. */
export const DEFAULT_RETENTION_HEADER = 'service-data-retention';

export interface RateLimitHeaderNames {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

export const RATE_LIMIT_HEADERS: Readonly<Record<LimitName, RateLimitHeaderNames>> = {
  requests_per_minute: rateLimitTrio('requests'),
  requests_per_day: rateLimitTrio('requests-day'),
  tokens_per_minute: rateLimitTrio('tokens'),
  tokens_per_day: rateLimitTrio('tokens-day'),
};

/** All twelve. */
export const RATE_LIMIT_HEADER_NAMES: readonly string[] = Object.values(RATE_LIMIT_HEADERS).flatMap(
  ({ limit, remaining, reset }) => [limit, remaining, reset],
);

function rateLimitTrio(suffix: string): RateLimitHeaderNames {
  return {
    limit: `x-ratelimit-limit-${suffix}`,
    remaining: `x-ratelimit-remaining-${suffix}`,
    reset: `x-ratelimit-reset-${suffix}`,
  };
}
