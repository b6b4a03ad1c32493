import { expect, test } from 'vitest';
import { billingReason } from './billing-reason.ts';

test.each([
  ['ok', null, undefined],
  ['ok', 'insufficient_quota', 'budget_spent'],
  ['ok', 'billing_conflict', 'budget_raised'],
  ['exhausted', 'insufficient_quota', 'balance_spent'],
  ['conflict', 'billing_conflict', 'states_differ'],
] as const)('billing %s with the refusal %s: %s', (billing, refusal, reason) => {
  expect(billingReason({ billing, billing_refusal: refusal })).toBe(reason);
});
