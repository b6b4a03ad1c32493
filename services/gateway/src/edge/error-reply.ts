import { HeaderName, type ErrorCode, type ServiceError } from '@sluice/contracts';

/** The Content-Type of every reply except event streams. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Used for a temporary error whose duration is unknown. */
const DEFAULT_RETRY_AFTER_MS = 1_000;

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The HTTP reply for an error. */
export function errorReply(error: ServiceError): ErrorReply {
  const shape = HTTP_ERRORS[error.code];
  return { status: shape.status, headers: retryHeaders(error, shape), body: errorBody(error) };
}

/** The JSON body. Also the data of an error event in a stream. */
export function errorBody({ code, message, param }: ServiceError): string {
  const shape = HTTP_ERRORS[code];
  return JSON.stringify({ error: { message, type: shape.type, param, code: shape.code } });
}

function retryHeaders(error: ServiceError, { retry }: HttpError): Record<string, string> {
  const headers: Record<string, string> = {};
  const delay = error.retryAfterMs ?? (retry === 'always' ? DEFAULT_RETRY_AFTER_MS : undefined);
  if (delay !== undefined) {
    const exact = Math.max(1, Math.ceil(delay));
    headers[HeaderName.retryAfter] = String(Math.ceil(exact / 1_000));
    headers[HeaderName.retryAfterMs] = String(exact);
  }
  if (retry === 'never' || (retry === 'as_thrown' && !error.retryable)) {
    headers[HeaderName.shouldRetry] = 'false';
  }
  return headers;
}

export interface HttpError {
  readonly status: number;
  readonly type: ErrorType;
  /** The value of `error.code` on the wire. */
  readonly code: string | null;
  /**
   * `always`: the error is temporary, so every reply has Retry-After. `never`: a retry cannot succeed, and
   * `x-should-retry` says so. `as_thrown`: the thrown error says whether a retry can succeed. Absent: the client
   * decides.
   */
  readonly retry?: 'always' | 'never' | 'as_thrown';
}

type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'billing_error'
  | 'rate_limit_error'
  | 'upstream_unavailable_error'
  | 'api_error';

/** Maps every error code to its status, type and wire code. */
export const HTTP_ERRORS: Readonly<Record<ErrorCode, HttpError>> = {
  malformed_request: invalidRequest(400, null),
  malformed_body: invalidRequest(400, null),
  invalid_value: invalidRequest(400, 'invalid_value'),
  unsupported_parameter: invalidRequest(400, 'unsupported_parameter'),
  unsupported_value: invalidRequest(400, 'unsupported_value'),
  missing_required_parameter: invalidRequest(400, 'missing_required_parameter'),
  context_length_exceeded: invalidRequest(400, 'context_length_exceeded'),
  missing_api_key: { status: 401, type: 'authentication_error', code: 'missing_api_key' },
  invalid_api_key: { status: 401, type: 'authentication_error', code: 'invalid_api_key' },
  insufficient_quota: billing(402, 'insufficient_quota'),
  billing_conflict: billing(409, 'billing_conflict'),
  organization_membership_required: forbidden('organization_membership_required'),
  platform_access_required: forbidden('platform_access_required'),
  onboarding_pending: forbidden('onboarding_pending'),
  plan_access_denied: forbidden('plan_access_denied'),
  account_restricted: forbidden('account_restricted'),
  model_not_found: invalidRequest(404, 'model_not_found'),
  unknown_url: invalidRequest(404, 'unknown_url'),
  method_not_allowed: invalidRequest(405, 'method_not_allowed'),
  request_timeout: invalidRequest(408, 'request_timeout'),
  request_too_large: invalidRequest(413, 'request_too_large'),
  unsupported_media_type: invalidRequest(415, 'unsupported_media_type'),
  expectation_failed: invalidRequest(417, 'expectation_failed'),
  headers_too_large: invalidRequest(431, 'headers_too_large'),
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    retry: 'as_thrown',
  },
  internal_error: { status: 500, type: 'api_error', code: 'internal_error' },
  upstream_unavailable: { status: 502, type: 'upstream_unavailable_error', code: null },
  upstream_credentials_rejected: {
    status: 502,
    type: 'upstream_unavailable_error',
    code: 'upstream_credentials_rejected',
  },
  upstream_model_missing: { status: 502, type: 'upstream_unavailable_error', code: null },
  rate_limit_unavailable: unavailable('rate_limit_unavailable'),
  model_availability_unavailable: unavailable('model_availability_unavailable'),
  infrastructure_rate_limit_exceeded: unavailable('infrastructure_rate_limit_exceeded'),
  authentication_unavailable: unavailable('authentication_unavailable'),
  service_unavailable: unavailable('service_unavailable'),
};

function invalidRequest(status: number, code: string | null): HttpError {
  return { status, type: 'invalid_request_error', code };
}

function forbidden(code: string): HttpError {
  return { status: 403, type: 'permission_error', code };
}

function billing(status: number, code: string): HttpError {
  return { status, type: 'billing_error', code, retry: 'never' };
}

function unavailable(code: string): HttpError {
  return { status: 503, type: 'api_error', code, retry: 'always' };
}
