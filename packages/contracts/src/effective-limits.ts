import type { LimitName, Limits } from './limits.ts';
import type { Organization, Plan } from './resources.ts';

/** A resource with its place in the history of the catalog's store. */
interface Placed<Document> {
  readonly document: Document;
  readonly sequence: number;
}

/** The plan's limits, each replaced by the organization's own where it has one. */
export function effectiveLimits(
  { document: plan }: Placed<Plan>,
  { document: organization }: Placed<Organization>,
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
 * Grows whenever the limits may have changed, and is the same for whoever asks: an organization that moves to a plan
 * with an older entry is itself changed by that.
 */
export function limitsSequence(plan: Placed<Plan>, organization: Placed<Organization>): number {
  return Math.max(plan.sequence, organization.sequence);
}
