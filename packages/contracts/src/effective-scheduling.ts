import type { Organization, Plan } from './resources.ts';
import { schedulingOf, type Scheduling } from './scheduling.ts';

/**
 * The scheduling that applies to an organization: that of its plan, except for fields that the organization has itself.
 */
export function effectiveScheduling(plan: Plan, organization: Organization): Scheduling {
  // Null is a value of its own (no bound), so `??` would be wrong.
  const slots =
    organization.slots_per_worker === undefined
      ? plan.slots_per_worker
      : organization.slots_per_worker;
  return schedulingOf({
    weight: organization.weight ?? plan.weight,
    scheduling_class: organization.scheduling_class ?? plan.scheduling_class,
    slots_per_worker: slots ?? undefined,
  });
}
