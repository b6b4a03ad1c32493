import type { Timings } from '../measure/timings.ts';

/** So many unanswered at a time, or so many a second whether answered or not. */
export type Pattern =
  | { readonly kind: 'in flight'; readonly count: number }
  | { readonly kind: 'arrivals'; readonly perSecond: number };

/** Load on the quota service, through the same client as the gateway's. */
export interface QuotaOrder {
  readonly address: string;
  readonly organizations: number;
  readonly pattern: Pattern;
}

/** Load on Redis itself, from a client that does nothing but write calls and count replies. */
export interface RedisOrder {
  readonly port: number;
  readonly organizations: number;
  /** Decisions in each call. */
  readonly together: number;
  /** Calls of the script: so many unanswered on each connection, or so many a second. */
  readonly pattern: Pattern;
}

export interface DecisionState {
  readonly decided: number;
  /** Of some of the admissions since the last look, from when each arrived. */
  readonly admissions: Timings;
  /** Of each since the last look that was neither admitted nor refused: there was no answer in time. */
  readonly undecided: Timings;
}

/** How often what is due is sent. */
export const TURN_MS = 1;
/** Latencies of every so-manieth decision are kept. */
export const SAMPLED = 16;

/** Limits that all four are decided by, and none refuses. */
export const LIMITS = {
  requests_per_minute: 10_000_000_000,
  requests_per_day: 10_000_000_000,
  tokens_per_minute: 10_000_000_000,
  tokens_per_day: 100_000_000_000,
} as const;

export const COST = { requests: 1, tokens: 25 } as const;
export const REVISION = { epoch: 1, sequence: 1 } as const;
