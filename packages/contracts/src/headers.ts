import type { LimitName } from './limits.ts';

/** The HTTP header names of the interface, in lower case like the names in Node's `request.headers`. */
export const HeaderName = {
  /** The id of the request. It is also the name of the gRPC metadata that carries the id between services. */
  requestId: 'x-request-id',
  serverRequestId: 'x-server-request-id',
  retryAfter: 'retry-after',
  retryAfterMs: 'retry-after-ms',
  shouldRetry: 'x-should-retry',
} as const;

/** A deployment may choose another name: see the gateway's settings. */
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
