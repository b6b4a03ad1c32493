import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { DisplayName, EmailAddress, type Account, type Identity } from '@sluice/contracts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import type { PlanChange } from './change-writer.ts';

/** What a provider of OpenID Connect says about a person, from a verified id token. */
export interface Person {
  readonly identity: Identity;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
}

/**
 * The id of the account that a person signs in to:
 *
 * 1. the account with this identity;
 * 2. otherwise the only account with the verified e-mail address, if no identity is linked to it yet;
 * 3. otherwise a new account. Its id is derived from the identity, so that a sign-in that is repeated or made twice at
 *    once creates one account.
 */
export function accountOf(catalog: CatalogView, person: Person): string {
  return (
    accountWithIdentity(catalog, person.identity)?.id ??
    preparedAccount(catalog, person)?.id ??
    derivedId('acc', [person.identity.issuer, person.identity.subject])
  );
}

/** Creates the account, or brings its name and address up to date. */
export function planSignIn(id: string, person: Person, nowMs: number): PlanChange<'accounts'> {
  return (catalog) => {
    if (accountOf(catalog, person) !== id) {
      throw new CatalogError('conflict', 'the account was changed meanwhile: sign in again');
    }
    const present = catalog.get('accounts', id)?.document;
    const account = signedInAccount(present, id, person, nowMs);
    if (isDeepStrictEqual(account, present)) return 'nothing';
    const action = present === undefined ? 'create' : 'update';
    return { kind: 'accounts', id, action, document: account };
  };
}

/** Plans to create a personal organization, if the account is new and not a member of any organization. */
export function planPersonalOrganization(
  account: string,
  plan: string | undefined,
): PlanChange<'organizations'> {
  return (catalog) => {
    if (!needsPersonalOrganization(catalog, account)) return 'nothing';
    const id = derivedId('org', [account]);
    // The organization can exist although the account is no longer a member of it.
    if (catalog.get('organizations', id) !== undefined) return 'nothing';
    return {
      kind: 'organizations',
      id,
      action: 'create',
      document: {
        id,
        plan: requirePlan(catalog, plan),
        limits: {},
        retention: 'zero',
        billing: 'ok',
        members: [{ account, active: true, role: 'owner' }],
        personal_of: account,
        managed_by: 'console',
      },
    };
  };
}

/** Plans to create the first project of a personal organization, while the account is being onboarded. */
export function planPersonalProject(account: string): PlanChange<'projects'> {
  return (catalog) => {
    const organization = personalOrganization(catalog, account);
    if (organization === undefined || !isOnboarding(catalog, account)) return 'nothing';
    for (const { document } of catalog.all('projects')) {
      if (document.organization === organization) return 'nothing';
    }
    const id = derivedId('prj', [account]);
    if (catalog.get('projects', id) !== undefined) return 'nothing';
    const document = { id, organization, name: 'Default', managed_by: 'console' } as const;
    return { kind: 'projects', id, action: 'create', document };
  };
}

/** Throws if a new account needs a personal organization, but the plan for it is missing. */
export function requirePersonalPlan(
  catalog: CatalogView,
  account: string,
  plan: string | undefined,
): void {
  const isNew = catalog.get('accounts', account) === undefined;
  if (isNew || needsPersonalOrganization(catalog, account)) requirePlan(catalog, plan);
}

export function personalOrganization(catalog: CatalogView, account: string): string | undefined {
  for (const { document } of catalog.all('organizations')) {
    if (document.personal_of === account) return document.id;
  }
  return undefined;
}

function needsPersonalOrganization(catalog: CatalogView, account: string): boolean {
  if (!isOnboarding(catalog, account)) return false;
  for (const { document } of catalog.all('organizations')) {
    if (document.members.some((member) => member.account === account)) return false;
  }
  return true;
}

function isOnboarding(catalog: CatalogView, account: string): boolean {
  return catalog.get('accounts', account)?.document.onboarding === 'pending';
}

function requirePlan(catalog: CatalogView, plan: string | undefined): string {
  if (plan !== undefined && catalog.get('plans', plan) !== undefined) return plan;
  const fault =
    plan === undefined
      ? 'the setting CONSOLE_PLAN of the catalog is unset'
      : `the catalog has no plan ${plan}, which its setting CONSOLE_PLAN names`;
  throw new CatalogError('forbidden_by_state', `new accounts cannot sign in: ${fault}`, {
    reason: 'plan_missing',
  });
}

function signedInAccount(
  present: Account | undefined,
  id: string,
  { identity, email, emailVerified, name }: Person,
  nowMs: number,
): Account {
  const before: Account = present ?? {
    id,
    access: 'waiting',
    onboarding: 'pending',
    restricted: false,
    session_generation: 1,
    created_at_ms: nowMs,
    managed_by: 'console',
  };
  const identities = before.identities ?? [];
  const shownName = DisplayName.safeParse(name.trim()).data ?? before.name;
  const address = emailVerified ? EmailAddress.safeParse(email).data : undefined;
  const shownEmail = address ?? before.email;
  return {
    ...before,
    ...(shownName !== undefined && { name: shownName }),
    ...(shownEmail !== undefined && { email: shownEmail }),
    identities: identities.some((known) => isSame(known, identity))
      ? identities
      : [...identities, identity],
  };
}

function accountWithIdentity(catalog: CatalogView, identity: Identity): Account | undefined {
  for (const { document } of catalog.all('accounts')) {
    if (document.identities?.some((known) => isSame(known, identity)) === true) return document;
  }
  return undefined;
}

/**
 * The account that an operator prepared for this e-mail address. Undefined if several accounts have the address,
 * because it is unknown which of them is meant.
 */
function preparedAccount(
  catalog: CatalogView,
  { email, emailVerified }: Person,
): Account | undefined {
  if (!emailVerified || email === '') return undefined;
  const wanted = email.toLowerCase();
  const found: Account[] = [];
  for (const { document } of catalog.all('accounts')) {
    if (document.email?.toLowerCase() === wanted) found.push(document);
  }
  const [only] = found;
  return found.length === 1 && (only?.identities ?? []).length === 0 ? only : undefined;
}

function isSame(one: Identity, other: Identity): boolean {
  return one.issuer === other.issuer && one.subject === other.subject;
}

const ID_LENGTH = 24;

/** The parts are separated by JSON, so that no two lists of parts give the same text. */
function derivedId(prefix: string, parts: readonly string[]): string {
  return `${prefix}_${hash('sha256', JSON.stringify(parts), 'hex').slice(0, ID_LENGTH)}`;
}
