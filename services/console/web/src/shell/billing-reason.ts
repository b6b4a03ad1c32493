import type { RouteReply } from '../../../src/api/routes.ts';
import type { texts } from '../texts.ts';

type Organization = Pick<RouteReply<'getOrganization'>, 'billing' | 'billing_refusal'>;
type BillingReason = keyof typeof texts.billing.reasons;

/**
 * Why completions are refused. The same error code can come from `billing` or from the budget. The catalog checks
 * `billing` first, so if it is not `ok`, it is the reason.
 */
export function billingReason({
  billing,
  billing_refusal: refusal,
}: Organization): BillingReason | undefined {
  switch (refusal) {
    case null:
      return undefined;
    case 'insufficient_quota':
      return billing === 'ok' ? 'budget_spent' : 'balance_spent';
    case 'billing_conflict':
      return billing === 'ok' ? 'budget_raised' : 'states_differ';
  }
}
