import { expect, test } from 'vitest';
import { budgetsText } from './show-budgets.ts';

const budget = {
  organization: 'acme',
  monthly: '100',
  spent: '100.004999999999',
  hard: true,
  thresholds: [50, 100],
  reached: [50, 100],
  stopped: true,
  webhooks: [],
};
const { monthly: _monthly, ...unlimited } = budget;
const reply = { currency: 'EUR', month: '2027-01', ageSeconds: 1, freshness: null };

test('budgets are shown with what was spent, rounded', () => {
  const budgets = [budget, { ...unlimited, organization: 'zeta', reached: [], stopped: false }];
  expect(budgetsText({ ...reply, budgets })).toBe(
    [
      '2027-01, EUR',
      'ORGANIZATION  STATE      TOLD      BUDGET   SPENT  PERCENT',
      'acme          stopped    50% 100%  100.00  100.00      100',
      'zeta          no budget  -              -  100.00        -',
    ].join('\n'),
  );
});

test('old decisions are marked as old', () => {
  expect(budgetsText({ ...reply, ageSeconds: 600, budgets: [budget] })).toMatch(
    /nothing was decided for 10 min/,
  );
});
