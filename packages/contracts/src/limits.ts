import type { Revision } from './revision.ts';

/** The limits, in the order in which they are shown. */
export const LIMIT_NAMES = [
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** The four limits of an organization. Null is unlimited, 0 refuses everything. */
export type Limits = Readonly<Record<LimitName, number | null>>;

/**
 * The largest limit and the largest cost of a request. With numbers up to this one, every product in the limiter is an
 * exact integer.
 */
export const MAX_AMOUNT = 100_000_000_000;

export interface AdmissionRequest {
  readonly organization: string;
  readonly limits: Limits;
  readonly revision: Revision;
  readonly requests: number;
  readonly tokens: number;
  /** The id of the client's request. Only for log lines. */
  readonly requestId?: string;
}

/** State of one limit after a decision: the values of its three response headers. */
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
      /** The cost is larger than the limit's whole capacity, so waiting does not help. */
      readonly exceedsCapacity: boolean;
    }
  | { readonly outcome: 'unavailable' };
