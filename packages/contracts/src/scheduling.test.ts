import { describe, expect, it } from 'vitest';
import { effectiveScheduling } from './effective-scheduling.ts';
import { Organization, Plan } from './resources.ts';

const plan = (fields: object) => Plan.parse({ id: 'plan', limits: {}, ...fields });
const organization = (fields: object = {}) =>
  Organization.parse({ id: 'acme', plan: 'plan', ...fields });

describe('how workers schedule an organization', () => {
  it('is empty without any field, and for defaults that are spelled out', () => {
    expect(effectiveScheduling(plan({}), organization())).toEqual({});
    const defaults = { weight: 1, scheduling_class: 0, slots_per_worker: null };
    expect(effectiveScheduling(plan(defaults), organization(defaults))).toEqual({});
  });

  it('is taken from the plan, field by field, unless the organization has its own', () => {
    const ofPlan = plan({ weight: 3, scheduling_class: 2, slots_per_worker: 4 });
    expect(effectiveScheduling(ofPlan, organization())).toEqual({
      weight: 3,
      scheduling_class: 2,
      slots_per_worker: 4,
    });
    expect(
      effectiveScheduling(ofPlan, organization({ weight: 0.5, slots_per_worker: null })),
    ).toEqual({ weight: 0.5, scheduling_class: 2 });
    expect(effectiveScheduling(ofPlan, organization({ weight: 1, scheduling_class: 0 }))).toEqual({
      slots_per_worker: 4,
    });
  });
});

describe('a plan and an organization', () => {
  it.each([
    [{ weight: 0 }, 'must be a number from 0.01 to 1000'],
    [{ weight: 1_001 }, 'must be a number from 0.01 to 1000'],
    [{ scheduling_class: 8 }, 'must be from -8 to 7'],
    [{ scheduling_class: 0.5 }, 'must be a whole number'],
    [{ slots_per_worker: 0 }, 'must be null or from 1 to 4096'],
    [{ slots_per_worker: 1.5 }, 'must be a whole number'],
  ])('are refused with %o, and the message names the allowed values', (fields, message) => {
    const [field = ''] = Object.keys(fields);
    for (const { error } of [
      Plan.safeParse({ id: 'plan', limits: {}, ...fields }),
      Organization.safeParse({ id: 'acme', plan: 'plan', ...fields }),
    ]) {
      expect(error?.issues).toMatchObject([{ path: [field], message }]);
    }
  });
});
