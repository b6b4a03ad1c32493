import { DEFAULT_ROLE, type Organization, type OrganizationRole } from '@sluice/contracts';
import { CatalogError } from '../model/catalog-error.ts';

type Member = Organization['members'][number];

export function memberRole({ role }: Member): OrganizationRole {
  return role ?? DEFAULT_ROLE;
}

export function requireMember(organization: Organization, account: string): Member {
  const member = organization.members.find((one) => one.account === account);
  if (member !== undefined) return member;
  throw new CatalogError('not_found', `there is no member ${account}`);
}

export function withRole(
  organization: Organization,
  account: string,
  role: OrganizationRole,
): Organization {
  return requireAnOwner(organization, {
    ...organization,
    members: organization.members.map((member) =>
      member.account === account ? { ...member, role } : member,
    ),
  });
}

export function withoutMember(organization: Organization, account: string): Organization {
  return requireAnOwner(organization, {
    ...organization,
    members: organization.members.filter((member) => member.account !== account),
  });
}

/** An organization that has an owner keeps at least one active owner, because only an owner can appoint another. */
function requireAnOwner(before: Organization, after: Organization): Organization {
  if (!hasOwner(before) || hasOwner(after)) return after;
  throw new CatalogError(
    'forbidden_by_state',
    'the organization would have no owner left: make another member an owner first',
    { reason: 'last_owner' },
  );
}

function hasOwner({ members }: Organization): boolean {
  return members.some((member) => member.active && memberRole(member) === 'owner');
}
