import { beforeEach, describe, expect, it } from 'vitest';
import {
  NOW_MS,
  consoleUnderTest,
  fillOrganizations,
  sessionOf,
  type ConsoleUnderTest,
} from '../../tests/console-fixture.ts';
import { apiKey } from '../../tests/example-documents.ts';
import { readEnvelope } from '../model/change-envelope.ts';

const PAGE = { search: '', after: '', limit: 0 };

let test: ConsoleUnderTest;

beforeEach(() => {
  test = consoleUnderTest();
  fillOrganizations(test.store);
});

const own = { organization: 'own' };
const owner = sessionOf('owner');
const operator = sessionOf('operator');

describe('the owners of an organization', () => {
  it('can leave until one is left', async () => {
    for (const account of ['ended', 'waiting', 'restricted', 'second-owner']) {
      await test.handlers.RemoveMember({ ...own, account }, owner);
    }
    const lastOwner = { code: 'failed_precondition', reason: 'last_owner' };
    await expect(
      test.handlers.RemoveMember({ ...own, account: 'owner' }, owner),
    ).rejects.toMatchObject(lastOwner);
    await expect(
      test.handlers.SetMemberRole({ ...own, account: 'owner', role: 'admin' }, owner),
    ).rejects.toMatchObject(lastOwner);
  });

  it('cannot both leave at once', async () => {
    for (const account of ['ended', 'waiting', 'restricted']) {
      await test.handlers.RemoveMember({ ...own, account }, owner);
    }
    const both = await Promise.allSettled(
      ['owner', 'second-owner'].map((account) =>
        test.handlers.RemoveMember({ ...own, account }, sessionOf(account)),
      ),
    );
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});

it('a member can leave, and can revoke its own keys, without the help of an admin', async () => {
  const { key = '', details } = await test.handlers.CreateApiKey(
    { ...own, project: 'own-project', name: 'mine' },
    sessionOf('member'),
  );
  expect(key).toMatch(/^sk-/);
  const id = details?.id ?? '';
  expect(await test.handlers.RevokeApiKey({ ...own, key: id }, sessionOf('member'))).toMatchObject({
    revokedAtMs: NOW_MS,
  });
  await test.handlers.RemoveMember({ ...own, account: 'viewer' }, sessionOf('viewer'));
});

it.each([
  ['a key', () => test.handlers.RevokeApiKey({ ...own, key: 'foreign-key' }, owner)],
  ['a project', () => test.handlers.DeleteProject({ ...own, project: 'foreign-empty' }, owner)],
  [
    'a project for a key',
    () => test.handlers.CreateApiKey({ ...own, project: 'foreign-project', name: '' }, owner),
  ],
  [
    'a project for the playground',
    () => test.handlers.IssuePlaygroundToken({ ...own, project: 'foreign-project' }, owner),
  ],
  [
    'an invitation',
    () => test.handlers.RevokeInvitation({ ...own, invitation: 'foreign-invitation' }, owner),
  ],
])('%s of another organization is not found', async (_what, call) => {
  await expect(call()).rejects.toMatchObject({ code: 'not_found' });
});

it('keys are listed newest first, page by page, with a search', async () => {
  for (let index = 1; index <= 5; index += 1) {
    const id = `key_${index}`;
    const sha256 = String(index + 3).repeat(64);
    const times = { created_at_ms: index * 10, revoked_at_ms: index === 5 ? NOW_MS : null };
    test.store.put('api_keys', {
      ...apiKey,
      ...times,
      id,
      sha256,
      project: 'own-project',
      creator: 'other',
    });
  }
  const request = { ...own, project: 'own-project', state: 'active', search: 'KEY_' };
  const first = await test.handlers.ListApiKeys({ ...request, after: '', limit: 3 }, owner);
  expect(first.keys?.map(({ id }) => id)).toEqual(['key_4', 'key_3', 'key_2']);
  expect(first.total).toBe(4);
  const rest = await test.handlers.ListApiKeys(
    { ...request, after: first.nextAfter ?? '', limit: 3 },
    owner,
  );
  expect(rest).toMatchObject({ keys: [{ id: 'key_1' }], nextAfter: '' });
});

it('a project is deleted with its revoked keys, but not with an active key', async () => {
  const request = { ...own, project: 'own-project' };
  await expect(test.handlers.DeleteProject(request, owner)).rejects.toMatchObject({
    code: 'failed_precondition',
  });
  await test.handlers.RevokeApiKey({ ...own, key: 'own-key' }, owner);
  await test.handlers.DeleteProject(request, owner);
  expect(test.store.state.get('projects', 'own-project')).toBeUndefined();
  expect(test.store.state.get('api_keys', 'own-key')).toBeUndefined();
});

it('the playground says at once why it would be refused', async () => {
  test.store.put('accounts', { id: 'member', access: 'granted' });
  await expect(
    test.handlers.IssuePlaygroundToken({ ...own, project: 'own-project' }, sessionOf('member')),
  ).rejects.toMatchObject({ code: 'permission_denied', reason: 'onboarding_pending' });
});

describe('an operator', () => {
  it('cannot lock itself out', async () => {
    const account = 'operator';
    for (const call of [
      test.handlers.SetOperator({ account, operator: false }, operator),
      test.handlers.SetAccountRestricted({ account, restricted: true }, operator),
      test.handlers.SetAccountAccess({ account, access: 'waiting' }, operator),
      test.handlers.EraseAccount({ account }, operator),
      test.handlers.EraseOwnAccount({}, operator),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'failed_precondition' });
    }
  });

  it('is named in the audit log so that no admin token can have the name', async () => {
    await test.handlers.EndSessions({ account: 'other' }, operator);
    const { records = [] } = await test.handlers.ListAudit(
      { kind: 'accounts', id: 'other', before: 0, limit: 1 },
      operator,
    );
    expect(records[0]).toMatchObject({ who: 'account:operator', action: 'update' });
  });

  it('changes a resource without resetting what people changed in the console', async () => {
    await test.handlers.UpdateOrganization(
      { ...own, name: 'Own Ltd', budget: null, webhooks: null, sequence: 0 },
      owner,
    );
    const members = [{ account: 'owner' }, { account: 'viewer' }];
    const document = JSON.stringify({ id: 'own', plan: 'team', members });
    const resource = { kind: 'organizations', id: 'own', document, sequence: 0 };
    await test.handlers.UpdateResource(resource, operator);
    expect(test.store.state.get('organizations', 'own')?.document).toMatchObject({
      name: 'Own Ltd',
      members: [
        { account: 'owner', role: 'owner' },
        { account: 'viewer', role: 'viewer' },
      ],
    });
  });

  it.each(['accounts', 'api_keys', 'sign_in_links', 'invitations', 'signing_keys'])(
    'cannot read or write %s as documents',
    async (kind) => {
      const reference = { kind, id: 'other', sequence: 0 };
      await expect(test.handlers.GetResource(reference, operator)).rejects.toMatchObject({
        code: 'invalid_argument',
      });
      await expect(
        test.handlers.UpdateResource({ ...reference, document: '{}' }, operator),
      ).rejects.toMatchObject({ code: 'invalid_argument' });
    },
  );
});

describe('the personal data of an account', () => {
  beforeEach(async () => {
    const { account = '' } = await test.handlers.SignIn(
      {
        issuer: 'https://id.example',
        subject: 'subject-of-grace',
        email: 'grace@example.com',
        emailVerified: true,
        name: 'Grace Hopper',
      },
      undefined,
    );
    grace = account;
    await test.handlers.CompleteOnboarding(
      { acceptTerms: true, organization: '', organizationName: "Grace's compilers" },
      sessionOf(grace),
    );
    await test.handlers.SetAccountAccess({ account: grace, access: 'granted' }, operator);
    const invitation = { ...own, role: 'member', email: 'grace@example.com' };
    const { token = '' } = await test.handlers.CreateInvitation(invitation, owner);
    await test.handlers.AcceptInvitation({ token, acceptTerms: false }, sessionOf(grace));
    await test.handlers.CreateInvitation(invitation, owner);
    await test.handlers.CreateApiKey(
      { ...own, project: 'own-project', name: "Grace's laptop" },
      sessionOf(grace),
    );
  });
  let grace = '';

  it('can be exported, without digests of secrets', async () => {
    const { document = '' } = await test.handlers.ExportPersonalData({ account: grace }, operator);
    expect(JSON.parse(document)).toMatchObject({
      account: { id: grace, name: 'Grace Hopper', identities: [{ subject: 'subject-of-grace' }] },
      organizations: [{ membership: { role: 'member' } }, { name: "Grace's compilers" }],
      api_keys: [{ name: "Grace's laptop" }],
      invitations: [{ email: 'grace@example.com' }],
    });
    expect(document).not.toContain('sha256');
  });

  it('can be erased, with the history of the store', async () => {
    const { deleted } = await test.handlers.EraseAccount({ account: grace }, operator);
    expect(deleted).toContain(`accounts/${grace}`);
    const stored = test.store.entries.map(({ value }) => String(value)).join('\n');
    for (const data of ['Grace', 'grace@example.com', 'subject-of-grace']) {
      expect(stored).not.toContain(data);
    }
    const last = test.store.entries.at(-1);
    expect(last?.name).toBe(`accounts/${grace}`);
    expect(last?.value && readEnvelope(last.value)).toMatchObject({
      by: 'account:operator',
      action: 'delete',
      before: null,
      document: null,
    });
    await expect(test.handlers.WhoAmI({}, sessionOf(grace))).rejects.toMatchObject({
      reason: 'session_ended',
    });
  });

  it('is exported and erased by the person, unless the account is restricted', async () => {
    const { document = '' } = await test.handlers.ExportOwnData({}, sessionOf(grace));
    expect(JSON.parse(document)).toMatchObject({ account: { id: grace, name: 'Grace Hopper' } });
    await test.handlers.SetAccountRestricted({ account: grace, restricted: true }, operator);
    await expect(test.handlers.EraseOwnAccount({}, sessionOf(grace))).rejects.toMatchObject({
      reason: 'account_restricted',
    });
    await test.handlers.SetAccountRestricted({ account: grace, restricted: false }, operator);
    const { deleted } = await test.handlers.EraseOwnAccount({}, sessionOf(grace));
    expect(deleted).toContain(`accounts/${grace}`);
    const last = test.store.entries.at(-1);
    expect(last?.value && readEnvelope(last.value)).toMatchObject({
      by: `account:${grace}`,
      action: 'delete',
    });
    expect(test.store.state.get('accounts', 'owner')).toBeDefined();
  });

  it('is not erased if an organization would have no owner left', async () => {
    const members = [{ account: 'stranger', role: 'owner' }, { account: 'viewer' }];
    test.store.put('organizations', { id: 'foreign', plan: 'team', members });
    await expect(
      test.handlers.EraseAccount({ account: 'stranger' }, operator),
    ).rejects.toMatchObject({ reason: 'last_owner' });
    expect(test.store.state.get('accounts', 'stranger')).toBeDefined();
  });
});

it('lists have pages and a search', async () => {
  const accounts = await test.handlers.ListAccounts(
    { filter: 'waiting', ...PAGE, search: 'WAIT' },
    operator,
  );
  expect(accounts).toMatchObject({ accounts: [{ id: 'waiting' }], total: 1, nextAfter: '' });
  const members = await test.handlers.ListMembers({ ...own, ...PAGE, limit: 2 }, owner);
  expect(members).toMatchObject({
    members: [{ account: 'admin' }, { account: 'ended' }],
    nextAfter: 'ended',
  });
});

it('an owner sets a budget and webhooks, and keeps the versions of their secrets', async () => {
  const url = 'https://hooks.example/sluice';
  test.store.put('organizations', {
    id: 'own',
    plan: 'team',
    members: [{ account: 'owner', role: 'owner' }],
    webhooks: [{ url, secret_version: 4 }],
  });
  const webhooks = [
    { url, secretVersion: 0 },
    { url: 'https://new.example', secretVersion: 0 },
  ];
  const budget = { monthly: '12.50', thresholds: [80], hard: true };
  const change = { ...own, budget, webhooks: { webhooks }, sequence: 0 };
  const { organization } = await test.handlers.UpdateOrganization(change, owner);
  expect(organization).toMatchObject({
    budget: { monthly: '12.50', thresholds: [80], hard: true },
    webhooks: [
      { url, secretVersion: 4 },
      { url: 'https://new.example', secretVersion: 1 },
    ],
    billingRefusal: '',
  });
  const broken = { ...change, budget: { ...budget, monthly: 'much' } };
  await expect(test.handlers.UpdateOrganization(broken, owner)).rejects.toMatchObject({
    code: 'invalid_argument',
  });
});
