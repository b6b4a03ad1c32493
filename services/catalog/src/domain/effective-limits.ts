import type { LimitName, Limits } from '@sluice/contracts';
import type { Stored } from './catalog-state.ts';

/** The plan's limits, each replaced by the organization's own where it has one. */
export function effectiveLimits(
  { document: plan }: Stored<'plans'>,
  { document: organization }: Stored<'organizations'>,
): Limits {
  const limit = (name: LimitName) => {
    const own = organization.limits[name];
    // Null is an answer: unlimited.
    return own === undefined ? plan.limits[name] : own;
  };
  return {
    requests_per_minute: limit('requests_per_minute'),
    requests_per_day: limit('requests_per_day'),
    tokens_per_minute: limit('tokens_per_minute'),
    tokens_per_day: limit('tokens_per_day'),
  };
}

/**
 * Grows whenever the limits may have changed, and is the same on every replica: an organization that moves to a plan
 * with an older entry is itself changed by that.
 */
export function limitsSequence(
  plan: Stored<'plans'>,
  organization: Stored<'organizations'>,
): number {
  return Math.max(plan.sequence, organization.sequence);
}
