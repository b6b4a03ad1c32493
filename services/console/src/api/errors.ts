import * as z from 'zod';

/** All error codes of the console's API. The first five have the same meaning in the public API. */
export const CONSOLE_ERROR_CODES = [
  'organization_membership_required',
  'platform_access_required',
  'onboarding_pending',
  'plan_access_denied',
  'account_restricted',
  'signed_out',
  'csrf_token_invalid',
  'sign_in_failed',
  'permission_denied',
  'invalid_value',
  'not_found',
  'already_exists',
  'conflict',
  'not_possible',
  'too_many_requests',
  'request_too_large',
  'unsupported_media_type',
  'method_not_allowed',
  'catalog_unavailable',
  'usage_unavailable',
  'limits_unavailable',
  'fleet_unavailable',
  'not_set_up',
  'internal_error',
] as const;
export type ConsoleErrorCode = (typeof CONSOLE_ERROR_CODES)[number];

export const ErrorReply = z.object({
  error: z.object({
    code: z.enum(CONSOLE_ERROR_CODES),
    message: z.string(),
    help: z.string().optional().describe('What the reader can do about it.'),
  }),
});
export type ErrorReply = z.infer<typeof ErrorReply>;
