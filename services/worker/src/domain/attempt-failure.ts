import type { FailureReason } from '@sluice/contracts';

export interface FailureDetails {
  /** Another worker may succeed. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The runtime's HTTP status, for the log. */
  readonly status?: number;
  readonly cause?: unknown;
}

/** Why an attempt failed, in the words of the contract. Holds nothing of what the runtime wrote: it may quote prompts. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure';
  readonly reason: FailureReason;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(reason: FailureReason, details: FailureDetails) {
    super(reason, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = reason;
    this.retryable = details.retryable;
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
  }

  /** The runtime is gone, broken, or does not speak its own protocol. */
  static unavailable(cause?: unknown): AttemptFailure {
    return new AttemptFailure('upstream_unavailable', { retryable: true, cause });
  }

  /** The runtime works, and what the model said with it cannot be told to the client. */
  static invalidOutput(): AttemptFailure {
    return new AttemptFailure('invalid_output', { retryable: false });
  }

  static from(thrown: unknown): AttemptFailure {
    return thrown instanceof AttemptFailure ? thrown : AttemptFailure.unavailable(thrown);
  }
}
