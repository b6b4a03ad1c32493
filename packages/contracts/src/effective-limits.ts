import type { LimitName, Limits } from './limits.ts';
import type { Organization, Plan } from './resources.ts';

/** A resource, and the sequence of its last change in the store of the catalog. */
interface Sequenced<Document> {
  readonly document: Document;
  readonly sequence: number;
}

/**
 * The limits that apply to an organization: those of its plan, except where the organization has a limit of its own.
 */
export function effectiveLimits(
  { document: plan }: Sequenced<Plan>,
  { document: organization }: Sequenced<Organization>,
): Limits {
  const limit = (name: LimitName) => {
    const own = organization.limits[name];
    // Null is a value of its own (unlimited), so `??` would be wrong.
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
 * The sequence of an organization's limits, as a part of their `Revision`. It grows whenever they may have changed. A
 * move to a plan that was changed less recently also changes the organization, so the sequence grows then too. Every
 * process computes the same value.
 */
export function limitsSequence(
  plan: Sequenced<Plan>,
  organization: Sequenced<Organization>,
): number {
  return Math.max(plan.sequence, organization.sequence);
}
