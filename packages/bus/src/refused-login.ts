import { AuthorizationError, UserAuthenticationExpiredError } from '@nats-io/transport-node';

/** Whether a server turned us away for who we are, not for what we did. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;
}

export const REFUSED =
  'the bus refuses this user, password, token or credentials file; trying on until it takes them';
