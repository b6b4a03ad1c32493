/** Every way a request can fail, in one closed list. Each edge maps it to its own statuses, exhaustively. */
export const ERROR_CODES = [
  'malformed_request',
  'malformed_body',
  'invalid_value',
  'unsupported_parameter',
  'unsupported_value',
  'missing_required_parameter',
  'context_length_exceeded',
  'missing_api_key',
  'invalid_api_key',
  'insufficient_quota',
  'billing_conflict',
  'organization_membership_required',
  'platform_access_required',
  'onboarding_pending',
  'plan_access_denied',
  'account_restricted',
  'model_not_found',
  'unknown_url',
  'method_not_allowed',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'request_too_large',
  'unsupported_media_type',
  'rate_limit_exceeded',
  'upstream_unavailable',
  'upstream_credentials_rejected',
  'upstream_model_missing',
  'rate_limit_unavailable',
  'model_availability_unavailable',
  'infrastructure_rate_limit_exceeded',
  'authentication_unavailable',
  'service_unavailable',
  'internal_error',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Why a caller with a valid credential is turned away from everything. */
export const ACCESS_REFUSALS = [
  'organization_membership_required',
  'platform_access_required',
  'account_restricted',
  'plan_access_denied',
  'onboarding_pending',
] as const satisfies readonly ErrorCode[];
export type AccessRefusal = (typeof ACCESS_REFUSALS)[number];

/** Why such a caller is turned away from chat completions alone. */
export const BILLING_REFUSALS = [
  'insufficient_quota',
  'billing_conflict',
] as const satisfies readonly ErrorCode[];
export type BillingRefusal = (typeof BILLING_REFUSALS)[number];

export interface ServiceErrorDetails {
  /** The parameter at fault, as a path. */
  readonly param?: string;
  /**
   * Whether a retry may succeed, said where it is thrown. An edge reads it only for a code that is sometimes curable
   * and sometimes not; of any other its table knows.
   */
  readonly retryable?: boolean;
  /** The exact delay after which a retry may succeed, where whoever throws knows of one. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A failure with a meaning for the caller. Its message is shown to clients: no content, nothing of the inside. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: ServiceErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.param = details.param ?? null;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Whatever was thrown, as a ServiceError: unknown things become `internal_error` and keep their cause. */
  static from(thrown: unknown): ServiceError {
    if (thrown instanceof ServiceError) return thrown;
    return new ServiceError(
      'internal_error',
      'The server had an error while processing the request.',
      {
        cause: thrown,
      },
    );
  }
}
