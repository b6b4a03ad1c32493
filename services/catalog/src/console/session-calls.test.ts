import { Invitation } from '@sluice/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  NOW_MS,
  consoleUnderTest,
  fillOrganizations,
  sessionOf,
  type ConsoleUnderTest,
} from '../../tests/console-fixture.ts';
import { planInvite, mintInvitation } from '../changes/invitations.ts';
import { mintSignInLink } from '../changes/sign-in-links.ts';
import type { EntryKind } from '../model/entry-kinds.ts';

const ada = {
  issuer: 'https://id.example',
  subject: 'ada-1',
  email: 'Ada@Example.com',
  emailVerified: true,
  name: ' Ada Lovelace ',
};

let test: ConsoleUnderTest;

beforeEach(() => {
  test = consoleUnderTest();
});

const ids = (kind: EntryKind) =>
  Array.from(test.store.state.all(kind), ({ document }) => document.id);
const accountOf = (id: string) => test.store.state.get('accounts', id)?.document;

describe('a first sign-in', () => {
  it('creates an account that waits, an organization of its own and a project', async () => {
    const { account = '', generation } = await test.handlers.SignIn(ada, undefined);
    expect(generation).toBe(1);
    expect(await test.handlers.WhoAmI({}, sessionOf(account))).toMatchObject({
      account,
      name: 'Ada Lovelace',
      email: 'Ada@Example.com',
      access: 'waiting',
      onboarding: 'pending',
      operator: false,
      organizations: [{ role: 'owner', personal: true }],
    });
    expect(ids('projects')).toHaveLength(1);
  });

  it('that was interrupted after any step is completed by the next one', async () => {
    await test.handlers.SignIn(ada, undefined);
    const whole = test.store.entries.slice(2);
    for (let kept = 0; kept <= whole.length; kept += 1) {
      const again = consoleUnderTest();
      for (const { name, value } of whole.slice(0, kept)) again.store.append(name, value);
      await again.handlers.SignIn(ada, undefined);
      expect(again.store.entries.map(({ name }) => name)).toEqual(
        test.store.entries.map(({ name }) => name),
      );
    }
  });

  it('twice at once creates one account', async () => {
    const [one, other] = await Promise.all([
      test.handlers.SignIn(ada, undefined),
      test.handlers.SignIn(ada, undefined),
    ]);
    expect(one).toEqual(other);
    expect(
      [ids('accounts'), ids('organizations'), ids('projects')].map(({ length }) => length),
    ).toEqual([1, 1, 1]);
  });

  it('links an account that an operator prepared for the verified address', async () => {
    test.store.put('accounts', { id: 'ada', email: 'ada@example.com', operator: true });
    expect(await test.handlers.SignIn(ada, undefined)).toEqual({ account: 'ada', generation: 1 });
    expect(accountOf('ada')).toMatchObject({ identities: [{ subject: 'ada-1' }], operator: true });
  });

  it.each([
    ['is not verified', { ...ada, emailVerified: false }, {}],
    [
      'belongs to an account with an identity',
      ada,
      { identities: [{ issuer: 'i', subject: 's' }] },
    ],
    ['is that of nobody', { ...ada, email: '' }, { email: null }],
  ])('links no account if the address %s', async (_what, person, prepared) => {
    test.store.put('accounts', { id: 'ada', email: 'ada@example.com', ...prepared });
    const { account } = await test.handlers.SignIn(person, undefined);
    expect(account).not.toBe('ada');
  });

  it('says what is missing without a plan, and creates nothing', async () => {
    test = consoleUnderTest('none');
    await expect(test.handlers.SignIn(ada, undefined)).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: 'plan_missing',
      message: expect.stringContaining('CONSOLE_PLAN') as string,
    });
    expect(ids('accounts')).toEqual([]);
  });

  it('ignores a name and an address that are not valid', async () => {
    const strange = { ...ada, name: '\u0000', email: 'no address' };
    const { account = '' } = await test.handlers.SignIn(strange, undefined);
    expect(accountOf(account)).not.toHaveProperty('name');
    expect(accountOf(account)).not.toHaveProperty('email');
  });
});

describe('a later sign-in', () => {
  it('finds the account, and writes only what has changed', async () => {
    const first = await test.handlers.SignIn(ada, undefined);
    const changes = test.store.entries.length;
    expect(await test.handlers.SignIn(ada, undefined)).toEqual(first);
    expect(test.store.entries).toHaveLength(changes);
    await test.handlers.SignIn({ ...ada, name: 'A. Lovelace' }, undefined);
    expect(accountOf(first.account ?? '')?.name).toBe('A. Lovelace');
    expect(test.store.entries).toHaveLength(changes + 1);
  });

  it('does not create the organization again that its owner has left', async () => {
    const { account = '' } = await test.handlers.SignIn(ada, undefined);
    const [organization = ''] = ids('organizations');
    const onboarding = { acceptTerms: true, organization: '', organizationName: 'Engines' };
    await test.handlers.CompleteOnboarding(onboarding, sessionOf(account));
    test.store.append(`projects/${ids('projects')[0]}`, undefined);
    test.store.append(`organizations/${organization}`, undefined);
    await test.handlers.SignIn(ada, undefined);
    expect(ids('organizations')).toEqual([]);
  });
});

describe('a session', () => {
  it('ends with all others of the account at sign-out', async () => {
    const { account = '' } = await test.handlers.SignIn(ada, undefined);
    await test.handlers.SignOut({}, sessionOf(account));
    await expect(test.handlers.WhoAmI({}, sessionOf(account))).rejects.toMatchObject({
      code: 'unauthenticated',
      reason: 'session_ended',
    });
    expect(await test.handlers.SignIn(ada, undefined)).toMatchObject({ generation: 2 });
  });

  it('of a document without the new fields has the generation 1', async () => {
    test.store.put('accounts', { id: 'old' });
    expect(await test.handlers.WhoAmI({}, sessionOf('old'))).toMatchObject({ account: 'old' });
  });
});

describe('a sign-in link', () => {
  async function link(account: string): Promise<string> {
    const { token, planChange } = mintSignInLink(account, NOW_MS);
    const planned = planChange(test.store.state);
    if (planned === 'nothing' || planned.document === null) throw new Error('no link');
    test.store.put('sign_in_links', planned.document);
    return token;
  }

  it('signs in once', async () => {
    test.store.put('accounts', { id: 'demo', session_generation: 3 });
    const token = await link('demo');
    expect(JSON.stringify(test.store.entries.map(({ value }) => String(value)))).not.toContain(
      token,
    );
    const both = await Promise.allSettled([
      test.handlers.RedeemSignInLink({ token }, undefined),
      test.handlers.RedeemSignInLink({ token }, undefined),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both).toContainEqual({
      status: 'fulfilled',
      value: { account: 'demo', generation: 3 },
    });
  });

  it.each([
    ['that has expired', 10 * 60_000, 'demo'],
    ['of an account that was deleted', 0, 'gone'],
  ])('%s does not sign in', async (_what, laterMs, account) => {
    test.store.put('accounts', { id: account });
    const token = await link(account);
    if (account === 'gone') test.store.append('accounts/gone', undefined);
    test.nowMs += laterMs;
    await expect(test.handlers.RedeemSignInLink({ token }, undefined)).rejects.toMatchObject({
      reason: 'invalid_sign_in_link',
    });
  });
});

describe('onboarding', () => {
  it('ends with the terms and a name, also while the account waits for access', async () => {
    const { account = '' } = await test.handlers.SignIn(ada, undefined);
    const session = sessionOf(account);
    const request = { acceptTerms: false, organization: '', organizationName: 'Engines' };
    await expect(test.handlers.CompleteOnboarding(request, session)).rejects.toMatchObject({
      reason: 'terms_required',
    });
    const accepted = { ...request, acceptTerms: true };
    expect(await test.handlers.CompleteOnboarding(accepted, session)).toMatchObject({
      access: 'waiting',
      onboarding: 'complete',
      organizations: [{ name: 'Engines' }],
    });
    expect(accountOf(account)?.terms_accepted_at_ms).toBe(NOW_MS);
  });

  it.each(['foreign', 'missing'])('cannot name the organization %s', async (organization) => {
    fillOrganizations(test.store);
    const request = { acceptTerms: true, organization, organizationName: 'Mine' };
    await expect(
      test.handlers.CompleteOnboarding(request, sessionOf('owner')),
    ).rejects.toMatchObject({ reason: 'organization_membership_required' });
  });
});

describe('an invitation', () => {
  function invite(role = 'admin'): string {
    const order = { organization: 'own', role, email: '', invitedBy: 'owner' };
    const { token, document } = mintInvitation(order, NOW_MS);
    planInvite(test.store.state, document);
    test.store.put('invitations', Invitation.parse(document));
    return token;
  }
  const accept = (token: string, account: string, acceptTerms = true) =>
    test.handlers.AcceptInvitation({ token, acceptTerms }, sessionOf(account));

  beforeEach(() => fillOrganizations(test.store));

  it('makes an account a member once, and ends its onboarding', async () => {
    const token = invite();
    test.store.put('accounts', { id: 'new' });
    expect(await test.handlers.DescribeInvitation({ token }, undefined)).toMatchObject({
      organization: 'own',
      role: 'admin',
    });
    await expect(accept(token, 'new', false)).rejects.toMatchObject({ reason: 'terms_required' });
    expect(await accept(token, 'new')).toEqual({ organization: 'own', role: 'admin' });
    expect(accountOf('new')).toMatchObject({ onboarding: 'complete', access: 'waiting' });
    await expect(accept(token, 'stranger')).rejects.toMatchObject({ reason: 'invalid_invitation' });
  });

  it('that two accounts accept at once is accepted for one of them', async () => {
    const token = invite();
    const both = await Promise.allSettled([accept(token, 'stranger'), accept(token, 'operator')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it.each([
    ['expired', () => (test.nowMs += 7 * 24 * 3_600_000)],
    ['is of a deleted organization', () => test.store.append('organizations/own', undefined)],
  ])('that %s is refused', async (_what, happens) => {
    const token = invite();
    happens();
    await expect(accept(token, 'stranger')).rejects.toMatchObject({ reason: 'invalid_invitation' });
  });

  it('neither changes the role of a member nor brings back an inactive one', async () => {
    expect(await accept(invite('viewer'), 'admin')).toMatchObject({ role: 'admin' });
    await expect(accept(invite(), 'inactive')).rejects.toMatchObject({
      reason: 'organization_membership_required',
    });
  });
});
