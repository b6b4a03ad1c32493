import { randomBase62, type Invitation, type Organization } from '@sluice/contracts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import type { PlannedChange } from './change-writer.ts';
import { getResource, parseResource } from './manage-resources.ts';
import { mintToken, tokenDigest } from './sign-in-links.ts';

const INVITATION_LIFE_MS = 7 * 24 * 60 * 60_000;
/** How many open invitations an organization may have. */
const MAX_OPEN_INVITATIONS = 200;

export interface InvitationOrder {
  readonly organization: string;
  readonly role: string;
  readonly email: string;
  readonly invitedBy: string;
}

export interface MintedInvitation {
  /** Shown once and not stored. */
  readonly token: string;
  readonly document: Invitation;
}

export function mintInvitation(order: InvitationOrder, nowMs: number): MintedInvitation {
  const token = mintToken('inv-');
  const document = parseResource('invitations', {
    id: `inv_${randomBase62(20)}`,
    organization: order.organization,
    role: order.role,
    email: order.email === '' ? null : order.email,
    sha256: tokenDigest(token),
    invited_by: order.invitedBy,
    accepted_by: null,
    created_at_ms: nowMs,
    expires_at_ms: nowMs + INVITATION_LIFE_MS,
  });
  return { token, document };
}

export function planInvite(
  catalog: CatalogView,
  document: Invitation,
): PlannedChange<'invitations'> {
  const open = openInvitations(catalog, document.organization, document.created_at_ms);
  if (open.length >= MAX_OPEN_INVITATIONS) {
    throw new CatalogError(
      'forbidden_by_state',
      `the organization has ${MAX_OPEN_INVITATIONS} open invitations: revoke some first`,
    );
  }
  return { kind: 'invitations', id: document.id, action: 'create', document };
}

/** The invitations of an organization that can still be accepted, the newest first. */
export function openInvitations(
  catalog: CatalogView,
  organization: string,
  nowMs: number,
): Invitation[] {
  return Array.from(catalog.all('invitations'), ({ document }) => document)
    .filter(
      (invitation) => invitation.organization === organization && invitation.expires_at_ms > nowMs,
    )
    .toSorted((one, other) => other.created_at_ms - one.created_at_ms);
}

export function planRevokeInvitation(
  catalog: CatalogView,
  { organization, invitation }: { organization: string; invitation: string },
): PlannedChange<'invitations'> {
  const { document } = getResource(catalog, 'invitations', invitation);
  if (document.organization !== organization) {
    throw new CatalogError('not_found', `there is no invitation ${invitation}`);
  }
  return planDeleteInvitation(document);
}

/**
 * Finds the invitation that a token belongs to, and throws unless this account may accept it. The account is undefined
 * for a person who is not signed in.
 */
export function requireOpenInvitation(
  catalog: CatalogView,
  { token, account, nowMs }: { token: string; account: string | undefined; nowMs: number },
): { invitation: Invitation; organization: Organization } {
  const sha256 = tokenDigest(token);
  for (const { document: invitation } of catalog.all('invitations')) {
    if (invitation.sha256 !== sha256) continue;
    const organization = catalog.get('organizations', invitation.organization)?.document;
    const isTaken = invitation.accepted_by !== null && invitation.accepted_by !== account;
    if (organization === undefined || isTaken || invitation.expires_at_ms <= nowMs) break;
    return { invitation, organization };
  }
  throw new CatalogError('not_found', 'the invitation is unknown, used, revoked or expired', {
    reason: 'invalid_invitation',
  });
}

/** Adds the account as a member in the role of the invitation. An account that is already a member keeps its role. */
export function withMember(
  organization: Organization,
  { role }: Invitation,
  account: string,
): Organization {
  const present = organization.members.find((member) => member.account === account);
  if (present !== undefined && !present.active) {
    throw new CatalogError('forbidden', 'the membership of the account was deactivated', {
      reason: 'organization_membership_required',
    });
  }
  if (present !== undefined) return organization;
  const members = [...organization.members, { account, active: true, role }];
  return { ...organization, members };
}

export function planDeleteInvitation({ id }: Invitation): PlannedChange<'invitations'> {
  // The address of the invited person is personal data, so no earlier version is kept.
  return { kind: 'invitations', id, action: 'delete', document: null, erasesHistory: true };
}
