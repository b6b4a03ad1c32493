import type { Timings } from '../measure/timings.ts';

/** Load on the quota service, through the same client as the gateway's. */
export interface QuotaOrder {
  readonly address: string;
  readonly organizations: number;
  /** So many unanswered at a time, or so many a second whether answered or not. */
  readonly pattern:
    | { readonly kind: 'in flight'; readonly count: number }
    | { readonly kind: 'arrivals'; readonly perSecond: number };
}

/** Load on Redis itself, from a client that does nothing but write calls and count replies. */
export interface RedisOrder {
  readonly port: number;
  readonly organizations: number;
  readonly connections: number;
  /** Calls of the script that are unanswered on a connection. */
  readonly pipelined: number;
  /** Decisions in each call. */
  readonly together: number;
}

export interface DecisionState {
  readonly decided: number;
  /** Of some of the admissions since the last look, from when each was due. */
  readonly admissions: Timings;
  /** Of each since the last look that was neither admitted nor refused: there was no answer in time. */
  readonly undecided: Timings;
}

/** Limits that all four are decided by, and none refuses. */
export const LIMITS = {
  requests_per_minute: 10_000_000_000,
  requests_per_day: 10_000_000_000,
  tokens_per_minute: 10_000_000_000,
  tokens_per_day: 100_000_000_000,
} as const;

export const COST = { requests: 1, tokens: 25 } as const;
export const REVISION = { epoch: 1, sequence: 1 } as const;
