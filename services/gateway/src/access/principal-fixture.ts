import type { Principal } from './principal.ts';

/** A principal without limits, for tests. */
export function testPrincipal(change: Partial<Principal> = {}): Principal {
  return {
    organization: 'acme',
    project: 'default',
    credentialId: 'key',
    retention: 'zero',
    limits: {
      requests_per_minute: null,
      requests_per_day: null,
      tokens_per_minute: null,
      tokens_per_day: null,
    },
    limitsRevision: { epoch: 1, sequence: 1 },
    scheduling: {},
    expiresAtMs: undefined,
    accessRefusal: undefined,
    billingRefusal: undefined,
    ...change,
  };
}
