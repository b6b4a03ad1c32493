import type { AdmissionDecision, Limits, Revision } from '@sluice/contracts';

/** What one admission asks for. */
export interface Cost {
  readonly requests: number;
  readonly tokens: number;
}

/** Admissions of one organization that are decided together, in this order. */
export interface LedgerCall {
  readonly organization: string;
  readonly limits: Limits;
  readonly revision: Revision;
  /** One at least. */
  readonly costs: readonly Cost[];
}

export type Verdict = Exclude<AdmissionDecision, { outcome: 'unavailable' }>;

/** Where the four limits of every organization are kept and decided, atomically. */
export interface Ledger {
  /**
   * Sends every call at once; several may travel, and fail, together. Each promise settles with a verdict
   * for each cost. A call is sent once; a rejected one may have been charged, and is not repeated.
   */
  decide(calls: readonly LedgerCall[]): readonly Promise<readonly Verdict[]>[];
}
