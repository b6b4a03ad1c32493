import { hash } from 'node:crypto';

/**
 * Prefix caches of organizations are kept apart, so that none can find out by timing what another has asked. It need
 * not be a secret: clients have no way to name a salt.
 */
export function cacheSalt(organization: string): string {
  return hash('sha256', `sluice prefix cache\n${organization}`, 'base64url');
}
