import type { Attempt } from './attempt.ts';

/** Carries offers to workers and frames back. */
export interface AttemptCarrier {
  readonly connected: boolean;
  /** Follows the attempt and sends its job. What cannot be sent ends the attempt as `disconnected`. */
  offer(attempt: Attempt, job: Uint8Array, headers: Readonly<Record<string, string>>): void;
  /** Whether there is a connection again within that time of its loss. */
  reconnected(limitMs: number): Promise<boolean>;
  /** Resolves once every worker has had the time to be heard since the connection was made. */
  fleetHeard(): Promise<void>;
}
