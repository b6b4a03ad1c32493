import { CONSOLE_CALLS, RpcError, type ConsoleCall, type ConsoleRequest } from '@sluice/rpc';
import { describe, expect, it } from 'vitest';
import {
  consoleUnderTest,
  fillOrganizations,
  sessionOf,
  type ConsoleUnderTest,
} from '../../tests/console-fixture.ts';
import { model } from '../../tests/example-documents.ts';
import { RIGHTS, type Action, type Right } from './rights.ts';

const PAGE = { search: '', after: '', limit: 0 };
const document = JSON.stringify({ ...model, id: 'new' });

/** A request of each call, for each organization. A new call needs one, or this file does not compile. */
const REQUESTS: {
  readonly [Name in ConsoleCall]: (organization: string) => ConsoleRequest<Name>;
} = {
  SignIn: () => ({ issuer: 'i', subject: 's', email: '', emailVerified: false, name: '' }),
  RedeemSignInLink: () => ({ token: 'unknown' }),
  DescribeInvitation: () => ({ token: 'unknown' }),
  WhoAmI: () => ({}),
  SignOut: () => ({}),
  CompleteOnboarding: (organization) => ({
    acceptTerms: true,
    organization,
    organizationName: 'Name',
  }),
  AcceptInvitation: () => ({ token: 'unknown', acceptTerms: true }),
  ExportOwnData: () => ({}),
  EraseOwnAccount: () => ({}),
  Authorize: (organization) => ({ organization, action: 'usage.read' }),
  GetOrganization: (organization) => ({ organization }),
  UpdateOrganization: (organization) => ({
    organization,
    name: 'Name',
    budget: null,
    webhooks: null,
    sequence: 0,
  }),
  DeleteOrganization: (organization) => ({ organization }),
  ListMembers: (organization) => ({ organization, ...PAGE }),
  SetMemberRole: (organization) => ({ organization, account: 'other', role: 'viewer' }),
  RemoveMember: (organization) => ({ organization, account: 'other' }),
  CreateInvitation: (organization) => ({ organization, role: 'admin', email: '' }),
  ListInvitations: (organization) => ({ organization }),
  RevokeInvitation: (organization) => ({ organization, invitation: `${organization}-invitation` }),
  ListProjects: (organization) => ({ organization, ...PAGE }),
  CreateProject: (organization) => ({ organization, name: 'Name' }),
  RenameProject: (organization) => ({
    organization,
    project: `${organization}-project`,
    name: 'Name',
  }),
  DeleteProject: (organization) => ({ organization, project: `${organization}-empty` }),
  ListApiKeys: (organization) => ({ organization, project: '', state: '', ...PAGE }),
  CreateApiKey: (organization) => ({
    organization,
    project: `${organization}-project`,
    name: 'Name',
  }),
  RevokeApiKey: (organization) => ({ organization, key: `${organization}-key` }),
  IssuePlaygroundToken: (organization) => ({ organization, project: `${organization}-project` }),
  ListModels: (organization) => ({ organization }),
  GetLimits: (organization) => ({ organization }),
  ListAccounts: () => ({ filter: '', ...PAGE }),
  SetAccountAccess: () => ({ account: 'other', access: 'waiting' }),
  SetAccountRestricted: () => ({ account: 'other', restricted: true }),
  SetOperator: () => ({ account: 'other', operator: true }),
  EndSessions: () => ({ account: 'other' }),
  ExportPersonalData: () => ({ account: 'other' }),
  EraseAccount: () => ({ account: 'other' }),
  ListOrganizations: () => PAGE,
  ListPlatformResources: () => ({ kind: 'plans', organization: '', ...PAGE }),
  GetResource: () => ({ kind: 'plans', id: 'team', sequence: 0 }),
  CreateResource: () => ({ kind: 'models', id: 'new', document, sequence: 0 }),
  UpdateResource: () => ({ kind: 'models', id: 'new', document, sequence: 0 }),
  DeleteResource: () => ({ kind: 'models', id: model.id, sequence: 0 }),
  ListAudit: () => ({ kind: '', id: '', before: 0, limit: 1 }),
};

interface Case<Name extends ConsoleCall> {
  readonly title: string;
  readonly call: Name;
  readonly right: Right;
  readonly request: (organization: string) => ConsoleRequest<Name>;
}

function aCase<Name extends ConsoleCall>(
  call: Name,
  right: Right,
  request: (organization: string) => ConsoleRequest<Name> = REQUESTS[call],
): Case<Name> {
  const title = right === call ? call : `${call} with the right ${right}`;
  return { title, call, right, request };
}

const ACTIONS: readonly Action[] = [
  'usage.read',
  'requests.read',
  'limits.read',
  'budget.read',
  'webhook.secret',
  'platform.usage.read',
  'platform.requests.read',
  'fleet.read',
  'fleet.drain',
];

/** Every call, the cases of calls that need a further right, and every action of Authorize. */
const CASES = [
  ...CONSOLE_CALLS.filter((call) => call !== 'RemoveMember' && call !== 'RevokeApiKey').map(
    (call) => aCase(call, call),
  ),
  aCase('RemoveMember', 'removeOtherMembers'),
  aCase('RevokeApiKey', 'revokeKeysOfOthers'),
  aCase('SetMemberRole', 'manageOwners', (organization) => ({
    ...REQUESTS.SetMemberRole(organization),
    role: 'owner',
  })),
  aCase('SetMemberRole', 'manageOwners', (organization) => ({
    ...REQUESTS.SetMemberRole(organization),
    account: 'second-owner',
  })),
  aCase('RemoveMember', 'manageOwners', (organization) => ({
    ...REQUESTS.RemoveMember(organization),
    account: 'second-owner',
  })),
  aCase('CreateInvitation', 'manageOwners', (organization) => ({
    ...REQUESTS.CreateInvitation(organization),
    role: 'owner',
  })),
  aCase('UpdateOrganization', 'changeOwnerFields', (organization) => ({
    ...REQUESTS.UpdateOrganization(organization),
    retention: 'contributor',
  })),
  aCase('UpdateOrganization', 'changeOwnerFields', (organization) => ({
    ...REQUESTS.UpdateOrganization(organization),
    budget: { monthly: '5', thresholds: [], hard: true },
  })),
  aCase('UpdateOrganization', 'changeOwnerFields', (organization) => ({
    ...REQUESTS.UpdateOrganization(organization),
    webhooks: { webhooks: [] },
  })),
  ...ACTIONS.map((action) =>
    aCase('Authorize', action, (organization) => ({ organization, action })),
  ),
].filter(({ call, right }) => call !== 'Authorize' || right !== 'Authorize');

const MEMBERS = ['viewer', 'member', 'admin', 'owner'];
const ACTORS = [
  ...MEMBERS,
  'inactive',
  'stranger',
  'operator',
  'waiting',
  'restricted',
  'ended',
  'no session',
];
const ORGANIZATIONS = ['own', 'foreign', 'deleted'];

/** What the table says: the reason of the refusal, or undefined if the call is let in. */
function expected(right: Right, actor: string, organization: string): string | undefined {
  const requirement = RIGHTS[right];
  const { needs } = requirement;
  if (needs === 'no session') return undefined;
  if (actor === 'ended' || actor === 'no session') return 'session_ended';
  const isOpen = needs === 'session';
  if (actor === 'waiting' && !(isOpen && requirement.waiting)) return 'platform_access_required';
  if (actor === 'restricted' && !(isOpen && requirement.restricted)) return 'account_restricted';
  if (isOpen) return undefined;
  if (needs === 'operator') return actor === 'operator' ? undefined : 'operator_required';
  const rank = organization === 'own' ? MEMBERS.indexOf(actor) : -1;
  if (organization === 'foreign' && actor === 'stranger') return undefined;
  if (rank === -1) return 'organization_membership_required';
  return rank >= MEMBERS.indexOf(needs) ? undefined : 'role_required';
}

/** The console of earlier cells, which were all refused. Undefined after a call that may have changed something. */
let untouched: ConsoleUnderTest | undefined;

function freshConsole(): ConsoleUnderTest {
  const fresh = consoleUnderTest();
  fillOrganizations(fresh.store);
  return fresh;
}

/** What happens: the reason of the refusal, or undefined if the call is let in, even if it then fails. */
async function outcome<Name extends ConsoleCall>(
  { call, request }: Case<Name>,
  actor: string,
  organization: string,
): Promise<string | undefined> {
  const { store, handlers } = (untouched ??= freshConsole());
  const changes = store.entries.length;
  const handler = handlers[call];
  const caller = actor === 'no session' ? undefined : sessionOf(actor);
  try {
    await handler(request(organization), caller);
    untouched = undefined;
    return undefined;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.code !== 'unauthenticated' && error.code !== 'permission_denied') {
      untouched = undefined;
      return undefined;
    }
    expect(store.entries, 'a refused call changed something').toHaveLength(changes);
    return error.reason;
  }
}

describe('the rights of the console', () => {
  it.each(CASES)('$title: is allowed to the callers in the table, and to no other', async (one) => {
    // The calls about oneself name no organization, or check the membership of it as a part of their work.
    const isInOrganization = !['session', 'no session'].includes(RIGHTS[one.right].needs);
    const organizations = isInOrganization ? ORGANIZATIONS : [''];
    const table: Record<string, string | undefined> = {};
    const found: Record<string, string | undefined> = {};
    for (const actor of ACTORS) {
      for (const organization of organizations) {
        const cell = `${actor} ${organization}`;
        table[cell] = expected(one.right, actor, organization);
        found[cell] = await outcome(one, actor, organization);
      }
    }
    expect(found).toEqual(table);
  });

  it('each have a case', () => {
    const asked = new Set<string>(CASES.map(({ right }) => right));
    const notAsked = Object.keys(RIGHTS).filter((right) => !asked.has(right));
    // Their cases use the right within them.
    expect(notAsked).toEqual(['Authorize', 'RemoveMember', 'RevokeApiKey']);
  });
});
