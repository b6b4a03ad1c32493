import { expect, test } from 'vitest';
import type { ChangePlan } from './plan-changes.ts';
import { planJson, planText } from './show-plan.ts';

const plan: ChangePlan = {
  changes: [
    { action: 'create', kind: 'plans', document: { id: 'team' } },
    {
      action: 'update',
      kind: 'organizations',
      document: { id: 'harbour' },
      sequence: 4,
      fields: [
        { field: 'plan', before: 'free', after: 'team' },
        { field: 'limits', before: undefined, after: { tokens_per_day: null } },
      ],
    },
    { action: 'delete', kind: 'plans', document: { id: 'free' }, sequence: 2 },
  ],
  unchanged: 3,
  problems: [],
};

test('each change has a line, and the last line counts the changes', () => {
  expect(planText(plan).split('\n')).toEqual([
    '+ plans/team',
    '~ organizations/harbour  plan: free -> team; limits: (none) -> {"tokens_per_day":null}',
    '- plans/free',
    '1 to create, 1 to change, 1 to delete, 3 unchanged',
  ]);
});

test('the JSON has the same content', () => {
  expect(planJson(plan, true)).toMatchObject({
    dry_run: true,
    unchanged: 3,
    changes: [
      { action: 'create', kind: 'plans', id: 'team' },
      { action: 'update', kind: 'organizations', id: 'harbour', fields: [{ field: 'plan' }, {}] },
      { action: 'delete', kind: 'plans', id: 'free' },
    ],
  });
});
