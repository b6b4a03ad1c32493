import { expect, test } from 'vitest';
import { effectiveLimits, limitsSequence } from './effective-limits.ts';
import { Organization, Plan } from './resources.ts';

const plan = {
  document: Plan.parse({ id: 'plan', limits: { requests_per_minute: 10, tokens_per_day: 20 } }),
  sequence: 7,
};
const organization = {
  document: Organization.parse({
    id: 'acme',
    plan: 'plan',
    limits: { requests_per_minute: null, tokens_per_minute: 0 },
  }),
  sequence: 4,
};

test("an organization's own limits replace those of its plan, an unlimited one too", () => {
  expect(effectiveLimits(plan, organization)).toEqual({
    requests_per_minute: null,
    requests_per_day: null,
    tokens_per_minute: 0,
    tokens_per_day: 20,
  });
});

test('the sequence of limits is the later one of plan and organization', () => {
  expect(limitsSequence(plan, organization)).toBe(7);
  expect(limitsSequence(plan, { ...organization, sequence: 8 })).toBe(8);
});
