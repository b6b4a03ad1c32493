import type { AdmissionDecision, Limits, Revision } from '@sluice/contracts';

/** What one admission asks for. */
export interface Cost {
  readonly requests: number;
  readonly tokens: number;
}

/** So many costs in one call keep the store busy for about a millisecond. */
export const MOST_COSTS = 256;

/** Admissions of one organization that are decided together, in this order. */
export interface LedgerCall {
  readonly organization: string;
  readonly limits: Limits;
  readonly revision: Revision;
  /** One at least. */
  readonly costs: readonly Cost[];
}

export type Verdict = Exclude<AdmissionDecision, { outcome: 'unavailable' }>;

/** The store said nothing within the deadline. */
export class DeadlineMissedError extends Error {
  override readonly name = 'DeadlineMissedError';
}

/** The store ran nothing, by its own word or because nothing was sent to it: nothing was charged. */
export class NothingRanError extends Error {
  override readonly name = 'NothingRanError';
}

/** Where the four limits of every organization are kept and decided, atomically. */
export interface Ledger {
  /** False while there is no connection: a call would be rejected unsent. */
  readonly canSend: boolean;
  /**
   * Sends every call at once; several may travel, and fail, together. Each promise settles with a verdict
   * for each cost. A call is sent once; a rejected one may have been charged, and is not repeated, unless it is
   * rejected with a NothingRanError.
   */
  decide(calls: readonly LedgerCall[]): readonly Promise<readonly Verdict[]>[];
}
