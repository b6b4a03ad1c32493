import type { CompletionTally } from './completion-tally.ts';
import type { ExaminedRequest } from './examine-request.ts';
import type { Principal } from './principal.ts';

/** A valid, admitted request on its way to a worker. */
export interface CompletionJob {
  readonly requestId: string;
  readonly principal: Principal;
  readonly examined: ExaminedRequest;
  /** Counts what the job uses and gives, for its record. */
  readonly tally: CompletionTally;
  /** The client's own body, until it cannot be needed any more. */
  body: Uint8Array;
}
