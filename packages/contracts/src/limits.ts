import type { Revision } from './revision.ts';

/** In the order in which people are shown them. */
export const LIMIT_NAMES = [
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** Four limits of an organization; null is unlimited, 0 refuses everything. */
export type Limits = Readonly<Record<LimitName, number | null>>;

/** Up to here every product of the limiter's arithmetic stays an exact integer: of limits, and of what is asked for. */
export const LARGEST_AMOUNT = 100_000_000_000;

export interface AdmissionRequest {
  readonly organization: string;
  readonly limits: Limits;
  readonly revision: Revision;
  readonly requests: number;
  readonly tokens: number;
  /** The client's request, for log lines: no decision looks at it. */
  readonly requestId?: string;
}

/** State of one limit after a decision: what its three headers say. */
export interface LimitWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

export type LimitWindows = Readonly<Record<LimitName, LimitWindow | null>>;

export type AdmissionDecision =
  | { readonly outcome: 'admitted'; readonly windows: LimitWindows; readonly decidedAtMs: number }
  | {
      readonly outcome: 'refused';
      readonly windows: LimitWindows;
      readonly decidedAtMs: number;
      /** The limit with the longest wait. */
      readonly refusedBy: LimitName;
      readonly waitMs: number;
      /** The cost is larger than the limit's whole capacity: no wait cures it. */
      readonly exceedsCapacity: boolean;
    }
  | { readonly outcome: 'unavailable' };
