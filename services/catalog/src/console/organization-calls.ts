import {
  ORGANIZATION_ROLES,
  effectiveLimits,
  limitsSequence,
  type Invitation,
  type Organization,
  type OrganizationRole,
} from '@sluice/contracts';
import { limitsToMessage, type CatalogConsoleHandlers, type ConsoleReplyInput } from '@sluice/rpc';
import type { ChangeWriter } from '../changes/change-writer.ts';
import {
  mintInvitation,
  openInvitations,
  planInvite,
  planRevokeInvitation,
} from '../changes/invitations.ts';
import { memberRole, requireMember, withRole, withoutMember } from '../changes/manage-members.ts';
import { parseResource, planDelete } from '../changes/manage-resources.ts';
import { deleteExpiredTokens } from '../changes/sign-in-links.ts';
import { billingRefusal } from '../model/access-refusal.ts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView, Stored } from '../model/catalog-state.ts';
import { requireRight, type Membership } from './authorize.ts';
import type { CallBuilder } from './call-builder.ts';
import { matches, pageOf, sortedBy } from './pages.ts';
import { parseDisplayName } from './session-calls.ts';

export interface OrganizationCallOptions {
  readonly calls: CallBuilder;
  readonly writer: ChangeWriter;
  readonly known: CatalogView;
  readonly wallClock: () => number;
}

type OrganizationCall =
  | 'GetOrganization'
  | 'UpdateOrganization'
  | 'DeleteOrganization'
  | 'ListMembers'
  | 'SetMemberRole'
  | 'RemoveMember'
  | 'CreateInvitation'
  | 'ListInvitations'
  | 'RevokeInvitation'
  | 'GetLimits';

/** Calls about an organization, its members and its invitations. */
export function organizationCalls({
  calls,
  writer,
  known,
  wallClock,
}: OrganizationCallOptions): Pick<CatalogConsoleHandlers, OrganizationCall> {
  return {
    GetOrganization: calls.ofMember('GetOrganization', async (_request, { catalog, caller }) =>
      organizationDetails(catalog, caller.organization, caller),
    ),
    UpdateOrganization: calls.ofMember('UpdateOrganization', async (request, context) => {
      const { name, sequence, organization: id } = request;
      await context.edit('organizations', id, (present, member) => {
        requireUnchanged(member.organization, sequence);
        const ownerFields = ownerFieldsOf(request, present);
        if (Object.keys(ownerFields).length > 0) requireRight(member, 'changeOwnerFields');
        return parseResource('organizations', {
          ...present,
          ...(name !== undefined && { name: parseDisplayName(name) }),
          ...ownerFields,
        });
      });
      const stored = known.get('organizations', id) ?? context.caller.organization;
      return { organization: organizationDetails(known, stored, context.caller) };
    }),
    DeleteOrganization: calls.ofMember(
      'DeleteOrganization',
      async ({ organization: id }, { change }) => ({
        position: await change(planDelete({ kind: 'organizations', id })),
      }),
    ),
    ListMembers: calls.ofMember('ListMembers', async (request, { catalog, caller }) => {
      const all = caller.organization.document.members
        .map((member) => memberDetails(catalog, member))
        .filter(({ account, name, email }) => matches(request.search, account, name, email));
      const { items, total, nextAfter } = pageOf(
        sortedBy(all, ({ account }) => account),
        request,
        ({ account }) => account,
      );
      return { members: [...items], total, nextAfter };
    }),
    SetMemberRole: calls.ofMember('SetMemberRole', async (request, { catalog, edit }) => {
      const { organization: id, account } = request;
      const role = roleNamed(request.role);
      const updated = await edit('organizations', id, (present, caller) => {
        const before = memberRole(requireMember(present, account));
        if (before === 'owner' || role === 'owner') requireRight(caller, 'manageOwners');
        return withRole(present, account, role);
      });
      return memberDetails(catalog, requireMember(updated, account));
    }),
    RemoveMember: calls.ofMember('RemoveMember', async (request, { change }) => {
      const { organization: id, account } = request;
      const position = await change<'organizations'>((_catalog, caller) => {
        const present = caller.organization.document;
        if (account !== caller.account.id) {
          requireRight(caller, 'removeOtherMembers');
          const role = memberRole(requireMember(present, account));
          if (role === 'owner') requireRight(caller, 'manageOwners');
        }
        return {
          kind: 'organizations',
          id,
          action: 'update',
          document: withoutMember(present, account),
        };
      });
      return { position };
    }),
    CreateInvitation: calls.ofMember('CreateInvitation', async (request, { caller, change }) => {
      const nowMs = wallClock();
      const { organization, email } = request;
      const role = roleNamed(request.role);
      const order = { organization, role, email, invitedBy: caller.account.id };
      const { token, document } = mintInvitation(order, nowMs);
      await change<'invitations'>((catalog, member) => {
        if (role === 'owner') requireRight(member, 'manageOwners');
        return planInvite(catalog, document);
      });
      await deleteExpiredTokens(known, writer, nowMs);
      return { invitation: invitationDetails(document), token };
    }),
    ListInvitations: calls.ofMember('ListInvitations', async ({ organization }, { catalog }) => ({
      invitations: openInvitations(catalog, organization, wallClock()).map(invitationDetails),
    })),
    RevokeInvitation: calls.ofMember('RevokeInvitation', async (request, { change }) => ({
      position: await change<'invitations'>((catalog) => planRevokeInvitation(catalog, request)),
    })),
    GetLimits: calls.ofMember('GetLimits', async (_request, { catalog, caller }) =>
      limitsReply(catalog, caller.organization),
    ),
  };
}

type Changes = Parameters<CatalogConsoleHandlers['UpdateOrganization']>[0];

/** The fields of the request that only an owner may change. */
function ownerFieldsOf({ retention, budget, webhooks }: Changes, present: Organization): object {
  const versions = new Map(present.webhooks?.map(({ url, secret_version: kept }) => [url, kept]));
  return {
    ...(retention !== undefined && { retention }),
    ...(budget !== null && {
      budget: {
        monthly: budget.monthly ?? null,
        thresholds: budget.thresholds,
        hard: budget.hard,
      },
    }),
    ...(webhooks !== null && {
      webhooks: webhooks.webhooks.map(({ url, secretVersion }) => ({
        url,
        // 0 means that the request leaves the version out: the webhook keeps its secret.
        secret_version: secretVersion || (versions.get(url) ?? 1),
      })),
    }),
  };
}

function organizationDetails(
  catalog: CatalogView,
  { document, sequence }: Stored<'organizations'>,
  { account, role }: Membership,
): ConsoleReplyInput<'GetOrganization'> {
  const { budget, webhooks = [] } = document;
  const stop = catalog.get('budget_stops', document.id)?.document;
  return {
    id: document.id,
    name: document.name ?? document.id,
    plan: document.plan,
    retention: document.retention,
    billing: document.billing,
    role,
    personal: document.personal_of === account.id,
    sequence,
    ...(budget !== undefined && {
      budget: {
        ...(budget.monthly !== null && { monthly: budget.monthly }),
        thresholds: budget.thresholds,
        hard: budget.hard,
      },
    }),
    webhooks: webhooks.map(({ url, secret_version: secretVersion }) => ({ url, secretVersion })),
    billingRefusal: billingRefusal(document, stop) ?? '',
  };
}

function memberDetails(catalog: CatalogView, member: Organization['members'][number]) {
  const account = catalog.get('accounts', member.account)?.document;
  return {
    account: member.account,
    name: account?.name ?? '',
    email: account?.email ?? '',
    role: memberRole(member),
    active: member.active,
  };
}

function invitationDetails(invitation: Invitation) {
  return {
    id: invitation.id,
    role: invitation.role,
    email: invitation.email ?? '',
    invitedBy: invitation.invited_by,
    createdAtMs: invitation.created_at_ms,
    expiresAtMs: invitation.expires_at_ms,
  };
}

function limitsReply(
  catalog: CatalogView,
  organization: Stored<'organizations'>,
): ConsoleReplyInput<'GetLimits'> {
  const plan = catalog.get('plans', organization.document.plan);
  if (plan === undefined) throw new CatalogError('unavailable', 'the plan cannot be read');
  return {
    plan: plan.document.id,
    limits: limitsToMessage(effectiveLimits(plan, organization)),
    limitsRevision: {
      epoch: catalog.position.epoch,
      sequence: limitsSequence(plan, organization),
    },
  };
}

/** Throws if the organization has changed since the caller read it. An expected sequence of 0 skips the check. */
function requireUnchanged({ document, sequence }: Stored<'organizations'>, expected: number): void {
  if (expected === 0 || expected === sequence) return;
  throw new CatalogError('conflict', `organization ${document.id} has changed: read it again`);
}

function roleNamed(text: string): OrganizationRole {
  const role = ORGANIZATION_ROLES.find((name) => name === text);
  if (role !== undefined) return role;
  throw new CatalogError('invalid', `the role must be one of ${ORGANIZATION_ROLES.join(', ')}`);
}
