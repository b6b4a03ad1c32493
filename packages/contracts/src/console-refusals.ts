/** Why the catalog refuses a call of the console, for programs. The message of the error is for people. */
const CONSOLE_REFUSALS = [
  /** The account is unknown or its sessions were ended. */
  'session_ended',
  'platform_access_required',
  'account_restricted',
  'organization_membership_required',
  'plan_access_denied',
  'onboarding_pending',
  'role_required',
  'operator_required',
  'terms_required',
  'last_owner',
  'invalid_sign_in_link',
  'invalid_invitation',
  /** The setting CONSOLE_PLAN is unset, or names a plan that does not exist. */
  'plan_missing',
] as const;
export type ConsoleRefusal = (typeof CONSOLE_REFUSALS)[number];
