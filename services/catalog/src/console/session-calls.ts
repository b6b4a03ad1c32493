import { DisplayName, type Account } from '@sluice/contracts';
import type { CatalogConsoleHandlers, ConsoleReplyInput } from '@sluice/rpc';
import type { ChangeWriter } from '../changes/change-writer.ts';
import { planDeleteInvitation, requireOpenInvitation, withMember } from '../changes/invitations.ts';
import { getResource } from '../changes/manage-resources.ts';
import { planRedeem } from '../changes/sign-in-links.ts';
import {
  accountOf,
  personalOrganization,
  planPersonalOrganization,
  planPersonalProject,
  planSignIn,
  requirePersonalPlan,
} from '../changes/sign-in.ts';
import type { ReadinessGate } from '../lookups/readiness-gate.ts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import { mapCatalogErrors } from '../rpc/rpc-errors.ts';
import {
  authorizeMember,
  authorizeOperator,
  generationOf,
  requireRight,
  roleOf,
} from './authorize.ts';
import { authorOf, type CallBuilder, type CallContext } from './call-builder.ts';
import { isAction, isRightOnPlatform } from './rights.ts';

export interface SessionCallOptions {
  readonly calls: CallBuilder;
  readonly gate: ReadinessGate;
  readonly writer: ChangeWriter;
  /** The id of the plan that personal organizations get. */
  readonly plan: string | undefined;
  readonly wallClock: () => number;
}

type SessionCall =
  | 'SignIn'
  | 'RedeemSignInLink'
  | 'DescribeInvitation'
  | 'WhoAmI'
  | 'SignOut'
  | 'CompleteOnboarding'
  | 'AcceptInvitation'
  | 'Authorize';

/** Calls of an account about itself: to sign in and out, to be onboarded, to accept invitations, to ask for rights. */
export function sessionCalls({
  calls,
  gate,
  writer,
  plan,
  wallClock,
}: SessionCallOptions): Pick<CatalogConsoleHandlers, SessionCall> {
  const generation = async (account: string) => {
    const catalog = await gate.openLatest();
    const { document } = getResource(catalog, 'accounts', account);
    return { account, generation: generationOf(document) };
  };
  return {
    SignIn: mapCatalogErrors(async ({ issuer, subject, email, emailVerified, name }) => {
      if (issuer === '' || subject === '') {
        throw new CatalogError('invalid', 'the issuer and the subject are needed');
      }
      const person = { identity: { issuer, subject }, email, emailVerified, name };
      const catalog = await gate.openLatest();
      const account = accountOf(catalog, person);
      requirePersonalPlan(catalog, account, plan);
      const who = authorOf(account);
      // If this process ends between two of these steps, the next sign-in does the missing steps.
      await writer.change(who, planSignIn(account, person, wallClock()));
      await writer.change(who, planPersonalOrganization(account, plan));
      await writer.change(who, planPersonalProject(account));
      return generation(account);
    }),
    RedeemSignInLink: mapCatalogErrors(async ({ token }) => {
      const redemption = planRedeem(token, wallClock());
      const account = redemption.account(await gate.openLatest());
      await writer.change(authorOf(account), redemption.planChange);
      return generation(account);
    }),
    DescribeInvitation: mapCatalogErrors(async ({ token }) => {
      const nowMs = wallClock();
      const catalog = await gate.openLatest();
      const { invitation, organization } = requireOpenInvitation(catalog, {
        token,
        account: undefined,
        nowMs,
      });
      return {
        organization: organization.id,
        organizationName: organization.name ?? organization.id,
        role: invitation.role,
        expiresAtMs: invitation.expires_at_ms,
      };
    }),
    WhoAmI: calls.ofAccount('WhoAmI', async (_request, { catalog, caller }) =>
      ownState(catalog, caller),
    ),
    SignOut: calls.ofAccount('SignOut', async (_request, { caller, edit }) => {
      await edit('accounts', caller.id, withNextGeneration);
      return {};
    }),
    CompleteOnboarding: calls.ofAccount('CompleteOnboarding', async (request, context) => {
      const { catalog, caller, edit } = context;
      requireTerms(caller, request.acceptTerms);
      const id = request.organization || personalOrganization(catalog, caller.id);
      if (id === undefined) throw new CatalogError('invalid', 'name the organization');
      const name = parseDisplayName(request.organizationName);
      requireMayName(catalog, id, caller);
      await edit('organizations', id, (organization, account, current) => {
        requireMayName(current, id, account);
        return { ...organization, name };
      });
      const account = await edit('accounts', caller.id, (present) =>
        withOnboarding(present, wallClock()),
      );
      return ownState(context.catalog, account);
    }),
    AcceptInvitation: calls.ofAccount(
      'AcceptInvitation',
      async ({ token, acceptTerms }, context) => {
        requireTerms(context.caller, acceptTerms);
        const { organization, role } = await acceptInvitation(context, token, wallClock());
        await context.edit('accounts', context.caller.id, (present) =>
          withOnboarding(present, wallClock()),
        );
        return { organization, role };
      },
    ),
    Authorize: calls.ofAccount(
      'Authorize',
      async ({ organization, action }, { catalog, caller }) => {
        if (!isAction(action)) throw new CatalogError('invalid', `there is no action ${action}`);
        const session = { account: caller.id, generation: generationOf(caller) };
        if (isRightOnPlatform(action)) {
          authorizeOperator(catalog, session, action);
          return { role: '' };
        }
        const { role } = authorizeMember(catalog, session, action, organization);
        return { role };
      },
    ),
  };
}

/**
 * Reserves the invitation for the account first, so that two accounts cannot both accept it. If this process ends
 * before the account is a member, the same account can accept the invitation again.
 */
async function acceptInvitation(
  { caller, change, edit }: CallContext<Account>,
  token: string,
  nowMs: number,
): Promise<{ organization: string; role: string }> {
  let accepted = '';
  await change<'invitations'>((catalog, { id: account }) => {
    const { invitation } = requireOpenInvitation(catalog, { token, account, nowMs });
    accepted = invitation.organization;
    const document = { ...invitation, accepted_by: account };
    return { kind: 'invitations', id: invitation.id, action: 'update', document };
  });
  const organization = await edit(
    'organizations',
    accepted,
    (present, { id: account }, catalog) => {
      const { invitation } = requireOpenInvitation(catalog, { token, account, nowMs });
      return withMember(present, invitation, account);
    },
  );
  await change<'invitations'>((catalog, { id: account }) =>
    planDeleteInvitation(requireOpenInvitation(catalog, { token, account, nowMs }).invitation),
  );
  return { organization: organization.id, role: roleOf(organization, caller.id) ?? '' };
}

export function withNextGeneration(account: Account): Account {
  return { ...account, session_generation: generationOf(account) + 1 };
}

function withOnboarding(account: Account, nowMs: number): Account {
  const accepted = account.terms_accepted_at_ms ?? nowMs;
  return { ...account, onboarding: 'complete', terms_accepted_at_ms: accepted };
}

function requireTerms({ terms_accepted_at_ms: acceptedAt }: Account, accepts: boolean): void {
  if (accepts || typeof acceptedAt === 'number') return;
  throw new CatalogError('forbidden_by_state', 'the terms have not been accepted', {
    reason: 'terms_required',
  });
}

/**
 * Throws unless the account may name the organization. Unlike other calls in an organization, this is also allowed to
 * accounts that still wait for access.
 */
function requireMayName(catalog: CatalogView, organizationId: string, { id }: Account): void {
  const organization = catalog.get('organizations', organizationId);
  const role = organization && roleOf(organization.document, id);
  if (role === undefined) {
    throw new CatalogError(
      'forbidden',
      'the account is not an active member of this organization',
      {
        reason: 'organization_membership_required',
      },
    );
  }
  requireRight({ role }, 'UpdateOrganization');
}

export function parseDisplayName(text: string): string {
  const { success, data } = DisplayName.safeParse(text.trim());
  if (success) return data;
  throw new CatalogError(
    'invalid',
    'the name must have 1 to 128 characters, without control characters',
  );
}

function ownState(catalog: CatalogView, account: Account): ConsoleReplyInput<'WhoAmI'> {
  const organizations = [];
  for (const { document } of catalog.all('organizations')) {
    const role = roleOf(document, account.id);
    if (role === undefined) continue;
    const personal = document.personal_of === account.id;
    organizations.push({ id: document.id, name: document.name ?? document.id, role, personal });
  }
  return {
    account: account.id,
    name: account.name ?? '',
    email: account.email ?? '',
    access: account.access,
    onboarding: account.onboarding,
    restricted: account.restricted,
    operator: account.operator ?? false,
    organizations,
  };
}
