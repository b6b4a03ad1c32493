import type { BreakerState } from './breaker.ts';

/** Whether the store answers: as a whole, or where it is several servers, each for the organizations that it keeps. */
export interface StoreHealth extends Disposable {
  /** Whether the store is asked about an organization. Where it does not answer, nobody need wait to learn it. */
  answersFor(organization: string): boolean;
  /** A call for this organization was answered in time. */
  answered(organization: string): void;
  /** A call for this organization was not answered in time, or was refused, for this reason. */
  failed(organization: string, reason: unknown): void;
  /** Closed while it answers for everybody. */
  readonly state: BreakerState;
  /** Servers that do not answer, by address; only where there are several. */
  readonly silent?: readonly string[];
}
