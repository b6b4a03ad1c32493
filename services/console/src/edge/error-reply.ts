import * as z from 'zod';
import { ConsoleError } from '../answers/console-error.ts';
import type { ConsoleErrorCode, ErrorReply } from '../api/errors.ts';

/** The HTTP status of every error code. */
export const STATUS_OF_CODE: Readonly<Record<ConsoleErrorCode, number>> = {
  organization_membership_required: 403,
  platform_access_required: 403,
  onboarding_pending: 403,
  plan_access_denied: 403,
  account_restricted: 403,
  signed_out: 401,
  csrf_token_invalid: 403,
  sign_in_failed: 401,
  permission_denied: 403,
  invalid_value: 400,
  not_found: 404,
  already_exists: 409,
  conflict: 409,
  not_possible: 409,
  too_many_requests: 429,
  request_too_large: 413,
  unsupported_media_type: 415,
  method_not_allowed: 405,
  catalog_unavailable: 503,
  usage_unavailable: 503,
  limits_unavailable: 503,
  fleet_unavailable: 503,
  not_set_up: 503,
  internal_error: 500,
};

/** The replies to errors of Fastify and its plugins, by HTTP status. */
const FRAMEWORK_ERRORS: Readonly<Record<number, readonly [ConsoleErrorCode, string]>> = {
  400: ['invalid_value', 'The request cannot be read.'],
  403: ['csrf_token_invalid', 'The page is outdated. Reload it and try again.'],
  404: ['not_found', 'There is nothing at this address.'],
  405: ['method_not_allowed', 'This address does not have this method.'],
  413: ['request_too_large', 'The request is too large.'],
  415: ['unsupported_media_type', 'The body must be JSON.'],
  429: ['too_many_requests', 'Too many requests. Wait a minute and try again.'],
};

const FrameworkError = z.object({ code: z.string().startsWith('FST_'), statusCode: z.int() });

/** Converts any thrown value. Unknown errors become the cause of an `internal_error`. */
export function consoleErrorOf(thrown: unknown): ConsoleError {
  if (thrown instanceof ConsoleError) return thrown;
  const [code, message] = FRAMEWORK_ERRORS[statusOf(thrown) ?? 0] ?? [
    'internal_error',
    'The console had an error.',
  ];
  return new ConsoleError(code, message, { cause: thrown });
}

function statusOf(thrown: unknown): number | undefined {
  // Other errors can have a status, too, but it is not about this request. An example is a failed call to the provider.
  return FrameworkError.safeParse(thrown).data?.statusCode;
}

export function errorBody({ code, message, help }: ConsoleError): ErrorReply {
  return { error: { code, message, ...(help !== undefined && { help }) } };
}
