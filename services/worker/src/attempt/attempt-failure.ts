import type { FailureReason } from '@sluice/contracts';
import type { ReplyFault } from './reply-fault.ts';

export interface FailureDetails {
  /** Another worker may succeed. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The runtime's HTTP status, for the log. */
  readonly status?: number;
  /** Which promise to the client the reply broke. */
  readonly fault?: ReplyFault;
  /** The parameter at fault, as a path. */
  readonly param?: string;
  readonly cause?: unknown;
}

/** Why an attempt failed, in the words of the contract. Holds nothing of what the runtime wrote: it may quote prompts. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure';
  readonly reason: FailureReason;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly fault: ReplyFault | undefined;
  readonly param: string | undefined;

  constructor(reason: FailureReason, details: FailureDetails) {
    super(reason, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = reason;
    this.retryable = details.retryable;
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
    this.fault = details.fault;
    this.param = details.param;
  }

  /** The runtime is gone, broken, or does not speak its own protocol. */
  static unavailable(cause?: unknown): AttemptFailure {
    return new AttemptFailure('upstream_unavailable', { retryable: true, cause });
  }

  /** The runtime works, and what the model said with it cannot be told to the client. */
  static invalidOutput(): AttemptFailure {
    return new AttemptFailure('invalid_output', { retryable: false });
  }

  /**
   * The runtime works, and its reply is not what the client was promised. Another generation may keep the promise. A
   * reply that could not be checked is not generated again: the next would cost as much to check.
   */
  static brokenPromise(fault: ReplyFault): AttemptFailure {
    return new AttemptFailure('invalid_output', { retryable: fault !== 'schema_unchecked', fault });
  }

  static from(thrown: unknown): AttemptFailure {
    return thrown instanceof AttemptFailure ? thrown : AttemptFailure.unavailable(thrown);
  }
}
