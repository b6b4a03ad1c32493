/** All error codes. Each edge maps every code to a status of its own protocol. */
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

/** Why all requests with a valid credential are refused. */
export const ACCESS_REFUSALS = [
  'organization_membership_required',
  'platform_access_required',
  'account_restricted',
  'plan_access_denied',
  'onboarding_pending',
] as const satisfies readonly ErrorCode[];
export type AccessRefusal = (typeof ACCESS_REFUSALS)[number];

/** Why chat completions with a valid credential are refused. Other requests are served. */
export const BILLING_REFUSALS = [
  'insufficient_quota',
  'billing_conflict',
] as const satisfies readonly ErrorCode[];
export type BillingRefusal = (typeof BILLING_REFUSALS)[number];

export interface ServiceErrorDetails {
  /** The parameter at fault, as a path. */
  readonly param?: string;
  /**
   * Whether a retry may succeed. It is used only for codes that are retryable in some cases. For all other codes, the
   * table of the edge decides.
   */
  readonly retryable?: boolean;
  /** The exact delay after which a retry may succeed, if it is known. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** An error for the client. Clients see its message, so it contains neither content nor internal details. */
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

  /** Converts any thrown value to a ServiceError. Unknown errors become the cause of an `internal_error`. */
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
