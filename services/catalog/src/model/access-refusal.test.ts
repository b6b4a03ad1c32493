import { ResourceSchemas } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { account, organization, plan } from '../../tests/example-documents.ts';
import { accessRefusal, billingRefusal, type CredentialKind } from './access-refusal.ts';

interface State {
  readonly account?: object;
  readonly organization?: object;
  readonly plan?: object;
  readonly credentialKind?: CredentialKind;
}

function refusal(state: State): string | undefined {
  return accessRefusal({
    account: ResourceSchemas.accounts.parse({ ...account, ...state.account }),
    organization: ResourceSchemas.organizations.parse({ ...organization, ...state.organization }),
    plan: ResourceSchemas.plans.parse({ ...plan, ...state.plan }),
    credentialKind: state.credentialKind ?? 'api_key',
  });
}

const inactive = { members: [{ account: account.id, active: false }] };

describe('access', () => {
  it('is granted to an active member with access, whose plan includes the credential', () => {
    expect(refusal({})).toBeUndefined();
    expect(refusal({ credentialKind: 'playground' })).toBeUndefined();
  });

  it.each([
    ['an inactive member', { organization: inactive }, 'organization_membership_required'],
    ['no member', { organization: { members: [] } }, 'organization_membership_required'],
    ['waiting', { account: { access: 'waiting' } }, 'platform_access_required'],
    ['restricted', { account: { restricted: true } }, 'account_restricted'],
    ['outside the plan', { plan: { credentials: ['playground'] } }, 'plan_access_denied'],
    ['outside every plan', { plan: { credentials: [] } }, 'plan_access_denied'],
  ])('is refused to a caller who is %s', (_name, state, code) => {
    expect(refusal(state)).toBe(code);
  });

  it('asks for a finished registration only in the playground', () => {
    const pending = { account: { onboarding: 'pending' } };
    expect(refusal(pending)).toBeUndefined();
    expect(refusal({ ...pending, credentialKind: 'playground' })).toBe('onboarding_pending');
  });

  it('names the first of several reasons, in a fixed order', () => {
    const everything = {
      account: { access: 'waiting', restricted: true, onboarding: 'pending' },
      organization: inactive,
      plan: { credentials: [] },
      credentialKind: 'playground' as const,
    };
    expect(refusal(everything)).toBe('organization_membership_required');
    const member = { ...everything, organization: {} };
    expect(refusal(member)).toBe('platform_access_required');
    const granted = { ...member, account: { restricted: true, onboarding: 'pending' } };
    expect(refusal(granted)).toBe('account_restricted');
    const free = { ...granted, account: { onboarding: 'pending' } };
    expect(refusal(free)).toBe('plan_access_denied');
    expect(refusal({ ...free, plan: {} })).toBe('onboarding_pending');
  });
});

describe('billing', () => {
  const hard = { monthly: '100', hard: true };
  const stop = { id: organization.id, month: '2027-01', monthly: '100', spent: '100.01' };

  it.each([
    ['ok', {}, undefined, undefined],
    ['exhausted', {}, undefined, 'insufficient_quota'],
    ['conflict', {}, undefined, 'billing_conflict'],
    ['ok', { budget: hard }, stop, 'insufficient_quota'],
    ['ok', { budget: { ...hard, monthly: '99' } }, stop, 'insufficient_quota'],
    ['ok', { budget: { ...hard, monthly: '100.000001' } }, stop, 'billing_conflict'],
    ['exhausted', { budget: { ...hard, monthly: '200' } }, stop, 'insufficient_quota'],
    ['conflict', { budget: hard }, stop, 'billing_conflict'],
    ['ok', { budget: { ...hard, hard: false } }, stop, undefined],
    ['ok', { budget: { ...hard, monthly: null } }, stop, undefined],
    ['ok', {}, stop, undefined],
  ])('that is %s, with %j and the stop %j, gives %s', (billing, fields, stopped, code) => {
    const state = ResourceSchemas.organizations.parse({ ...organization, billing, ...fields });
    expect(billingRefusal(state, stopped)).toBe(code);
  });
});
