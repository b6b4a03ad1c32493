import {
  DEFAULT_ROLE,
  ORGANIZATION_ROLES,
  type Account,
  type ConsoleRefusal,
  type OrganizationRole,
} from '@sluice/contracts';
import type { ConsoleCaller } from '@sluice/rpc';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView, Stored } from '../model/catalog-state.ts';
import type { DocumentOf } from '../model/entry-kinds.ts';
import {
  RIGHTS,
  type RightInOrganization,
  type RightOfAccount,
  type RightOnPlatform,
} from './rights.ts';

/** An active member of an organization whose right to make the call was checked. */
export interface Membership {
  readonly account: Account;
  readonly organization: Stored<'organizations'>;
  readonly role: OrganizationRole;
}

/** Throws unless the account is signed in and has the right. */
export function authorizeAccount(
  catalog: CatalogView,
  caller: ConsoleCaller | undefined,
  right: RightOfAccount,
): Account {
  const account = signedIn(catalog, caller);
  const { waiting, restricted } = RIGHTS[right];
  if (!waiting) requireAccess(account);
  if (!restricted) requireUnrestricted(account);
  return account;
}

/**
 * Throws unless the account is an active member of the organization, in a role that has the right. This applies to
 * operators, too. The error is the same for an organization that does not exist, so that callers do not learn which
 * organizations exist.
 */
export function authorizeMember(
  catalog: CatalogView,
  caller: ConsoleCaller | undefined,
  right: RightInOrganization,
  organizationId: string,
): Membership {
  const account = signedIn(catalog, caller);
  requireAccess(account);
  requireUnrestricted(account);
  const organization = catalog.get('organizations', organizationId);
  const role = organization && roleOf(organization.document, account.id);
  if (organization === undefined || role === undefined) {
    throw refusal(
      'organization_membership_required',
      'the account is not an active member of this organization',
    );
  }
  const membership = { account, organization, role };
  requireRight(membership, right);
  return membership;
}

/** Throws unless the account is an operator. The right is not looked up, because operators have all platform rights. */
export function authorizeOperator(
  catalog: CatalogView,
  caller: ConsoleCaller | undefined,
  _right: RightOnPlatform,
): Account {
  const account = signedIn(catalog, caller);
  requireAccess(account);
  requireUnrestricted(account);
  if (account.operator !== true) {
    throw refusal('operator_required', 'this is for operators of the platform');
  }
  return account;
}

/** Throws unless the role has a further right that a call needs in some cases. */
export function requireRight(
  { role }: { role: OrganizationRole },
  right: RightInOrganization,
): void {
  const { needs } = RIGHTS[right];
  if (rank(role) >= rank(needs)) return;
  throw refusal('role_required', `this needs the role ${needs}; the account's role is ${role}`);
}

/** The role of an active member; undefined for any other account. */
export function roleOf(
  { members }: DocumentOf<'organizations'>,
  account: string,
): OrganizationRole | undefined {
  const member = members.find((one) => one.account === account && one.active);
  return member && (member.role ?? DEFAULT_ROLE);
}

export function generationOf({ session_generation }: Account): number {
  return session_generation ?? 1;
}

function signedIn(catalog: CatalogView, caller: ConsoleCaller | undefined): Account {
  const account = caller && catalog.get('accounts', caller.account)?.document;
  if (account === undefined || generationOf(account) !== caller?.generation) {
    throw new CatalogError('unauthenticated', 'the session has ended: sign in again', {
      reason: 'session_ended',
    });
  }
  return account;
}

function requireAccess({ access }: Account): void {
  if (access === 'granted') return;
  throw refusal('platform_access_required', 'the account is waiting for access to the platform');
}

function requireUnrestricted({ restricted }: Account): void {
  if (restricted) throw refusal('account_restricted', 'the account is restricted');
}

function refusal(reason: ConsoleRefusal, message: string): CatalogError {
  return new CatalogError('forbidden', message, { reason });
}

function rank(role: OrganizationRole): number {
  return ORGANIZATION_ROLES.indexOf(role);
}
