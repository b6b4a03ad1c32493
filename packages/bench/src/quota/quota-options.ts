import type { Timings } from '../measure/timings.ts';

/** A number of unanswered requests at a time, or a number of requests per second. */
export type Pattern =
  | { readonly kind: 'in flight'; readonly count: number }
  | { readonly kind: 'arrivals'; readonly perSecond: number };

/** Load on the quota service, through the client that the gateway uses. */
export interface QuotaOptions {
  readonly address: string;
  readonly organizations: number;
  readonly pattern: Pattern;
}

/** Load on Redis itself, from a client that only writes calls and counts replies. */
export interface RedisOptions {
  readonly port: number;
  readonly organizations: number;
  /** Decisions in each call. */
  readonly together: number;
  /** Calls of the script: a number in flight on each connection, or a number per second. */
  readonly pattern: Pattern;
}

export interface DecisionState {
  readonly decided: number;
  /** Latencies of a sample of the admissions since the last reading, measured from their arrival. */
  readonly admissions: Timings;
  /** Admissions since the last reading that got no decision in time. */
  readonly undecided: Timings;
}

/** Interval of the timer that sends the requests that are due. */
export const TURN_MS = 1;
/** One of this many latencies is recorded. */
export const SAMPLED = 16;

/** All four limits are set, and none of them refuses a request. */
export const LIMITS = {
  requests_per_minute: 10_000_000_000,
  requests_per_day: 10_000_000_000,
  tokens_per_minute: 10_000_000_000,
  tokens_per_day: 100_000_000_000,
} as const;

export const COST = { requests: 1, tokens: 25 } as const;
export const REVISION = { epoch: 1, sequence: 1 } as const;
