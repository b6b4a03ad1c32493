import {
  hardLimitOf,
  unitsOf,
  type AccessRefusal,
  type Account,
  type BillingRefusal,
  type BudgetStop,
  type CREDENTIAL_KINDS,
  type Organization,
  type Plan,
} from '@sluice/contracts';

export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

export interface Caller {
  readonly account: Account;
  readonly organization: Organization;
  readonly plan: Plan;
  readonly credentialKind: CredentialKind;
}

/**
 * The first reason to refuse a caller whose credential is valid. Membership comes first, because an account that is no
 * member must learn nothing else about the organization. The unfinished registration comes last, because finishing it
 * helps only if there is no other reason.
 */
export function accessRefusal({
  account,
  organization,
  plan,
  credentialKind,
}: Caller): AccessRefusal | undefined {
  if (!isActiveMember(organization, account.id)) return 'organization_membership_required';
  if (account.access !== 'granted') return 'platform_access_required';
  if (account.restricted) return 'account_restricted';
  if (!plan.credentials.includes(credentialKind)) return 'plan_access_denied';
  if (credentialKind === 'playground' && account.onboarding !== 'complete') {
    return 'onboarding_pending';
  }
  return undefined;
}

export function isActiveMember({ members }: Organization, account: string): boolean {
  return members.some((member) => member.account === account && member.active);
}

/**
 * Why completions are refused for billing; undefined if they are not. The organization's `billing`, which operators
 * set, comes before a stop by its budget. A stop that was decided for a smaller budget contradicts the present budget.
 * The refusal is then `billing_conflict`, until the usage service has decided again.
 */
export function billingRefusal(
  { billing, budget }: Organization,
  stop: BudgetStop | undefined,
): BillingRefusal | undefined {
  if (billing === 'conflict') return 'billing_conflict';
  if (billing === 'exhausted') return 'insufficient_quota';
  const limit = hardLimitOf(budget);
  if (stop === undefined || limit === undefined) return undefined;
  return limit > unitsOf(stop.monthly) ? 'billing_conflict' : 'insufficient_quota';
}
