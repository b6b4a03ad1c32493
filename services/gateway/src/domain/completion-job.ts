import type { ExaminedRequest } from './examine-request.ts';
import type { Principal } from './principal.ts';

/** A valid, admitted request on its way to a worker. */
export interface CompletionJob {
  readonly requestId: string;
  readonly principal: Principal;
  readonly examined: ExaminedRequest;
  /** The client's own body, until it cannot be needed any more. */
  body: Uint8Array;
}
