import type { AdmissionDecision, Limits, Revision } from '@sluice/contracts';
import type { BreakerState } from './breaker.ts';

/** What one admission consumes. */
export interface Cost {
  readonly requests: number;
  readonly tokens: number;
}

/** Limit for the costs of one call. A call with this many occupies the store for about a millisecond. */
export const MAX_COSTS_PER_CALL = 256;

/** Admissions of one organization that are decided together, in this order. */
export interface StoreCall {
  readonly organization: string;
  readonly limits: Limits;
  readonly revision: Revision;
  /** The costs of the admissions. There is at least one. */
  readonly costs: readonly Cost[];
}

export type Verdict = Exclude<AdmissionDecision, { outcome: 'unavailable' }>;

/** The store did not answer within the deadline. */
export class DeadlineMissedError extends Error {
  override readonly name = 'DeadlineMissedError';
}

/** Nothing was charged, because the store answered that it did not execute the call, or because it was not sent. */
export class NotExecutedError extends Error {
  override readonly name = 'NotExecutedError';
}

/** Keeps the use of the four limits of every organization, and decides admissions atomically. */
export interface LimitStore {
  /** False while there is no connection, so that a call would be rejected without being sent. */
  readonly canSend: boolean;
  /**
   * Sends all calls at once. Several calls may share one command, and then fail together. The result has a promise for
   * each call, which resolves with a verdict for each cost. A call that was rejected may have been charged, so it must
   * not be sent again, unless the error is a NotExecutedError.
   */
  decide(calls: readonly StoreCall[]): readonly Promise<readonly Verdict[]>[];
}

/** Whether the store answers. With several servers, each one answers for the organizations that it keeps. */
export interface StoreHealth extends Disposable {
  /** Whether calls for this organization may be sent. If not, its admissions are rejected at once. */
  answersFor(organization: string): boolean;
  /** A call for this organization was answered in time. */
  answered(organization: string): void;
  /** A call for this organization failed or was not answered in time. */
  failed(organization: string, reason: unknown): void;
  /** Closed while the store answers for all organizations. */
  readonly state: BreakerState;
  /** Addresses of the servers that do not answer. Only set if there are several servers. */
  readonly silent?: readonly string[];
}
