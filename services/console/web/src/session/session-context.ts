import { createContext, use } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';

export type Session = RouteReply<'getSession'>;
export type SignedIn = Extract<Session, { state: 'signed_in' }>;
export type SignedOut = Extract<Session, { state: 'signed_out' }>;
export type Membership = SignedIn['organizations'][number];
export type Role = Membership['role'];

export const SessionContext = createContext<SignedIn | undefined>(undefined);
export const OrganizationContext = createContext<Membership | undefined>(undefined);

export function useSession(): SignedIn {
  const session = use(SessionContext);
  if (session === undefined) {
    throw new Error('This page is only shown to people who are signed in.');
  }
  return session;
}

/** The organization whose pages are shown. */
export function useOrganization(): Membership {
  const organization = use(OrganizationContext);
  if (organization === undefined) throw new Error('This page belongs to an organization.');
  return organization;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2, owner: 3 };

/**
 * Whether a role has at least the rights of another. It decides only what pages show: the catalog checks the rights.
 */
export const hasRole = (role: Role, least: Role): boolean => ranks[role] >= ranks[least];
export const rolesUpTo = (role: Role): Role[] =>
  (['viewer', 'member', 'admin', 'owner'] as const).filter((other) => hasRole(role, other));
