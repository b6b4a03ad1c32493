import type { FailureReason } from '@sluice/contracts';

/** The ways in which a reply breaks a promise to its client. `schema_unchecked`: the reply could not be checked. */
export const REPLY_FAULTS = [
  'schema_differs',
  'schema_unchecked',
  'not_json_object',
  'tool_choice_differs',
  'parallel_calls',
  'arguments_not_json',
  'arguments_differ',
  'reasoning_late',
] as const;
export type ReplyFault = (typeof REPLY_FAULTS)[number];

export interface FailureDetails {
  /** Another worker may succeed. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The runtime's HTTP status, for the log. */
  readonly status?: number;
  /** Which promise to the client the reply broke. */
  readonly fault?: ReplyFault;
  /** The path of the request parameter at fault. */
  readonly param?: string;
  readonly cause?: unknown;
}

/**
 * Why an attempt failed, with a reason that gateways know. Contains no text of the runtime, because this may quote the
 * prompt.
 */
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

  /** The runtime is unreachable, broken or violates its protocol. */
  static unavailable(cause?: unknown): AttemptFailure {
    return new AttemptFailure('upstream_unavailable', { retryable: true, cause });
  }

  /** The runtime works, but its reply cannot be represented in the API. */
  static invalidOutput(): AttemptFailure {
    return new AttemptFailure('invalid_output', { retryable: false });
  }

  /**
   * The runtime works, but its reply is not what the client was promised. Another generation may keep the promise. A
   * reply that could not be checked is not generated again: the next one would be as expensive to check.
   */
  static brokenPromise(fault: ReplyFault): AttemptFailure {
    return new AttemptFailure('invalid_output', { retryable: fault !== 'schema_unchecked', fault });
  }

  static from(thrown: unknown): AttemptFailure {
    return thrown instanceof AttemptFailure ? thrown : AttemptFailure.unavailable(thrown);
  }
}
