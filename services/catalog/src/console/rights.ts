import type { OrganizationRole } from '@sluice/contracts';
import type { ConsoleCall } from '@sluice/rpc';

interface WithoutSession {
  readonly needs: 'no session';
}

interface OfAccount {
  readonly needs: 'session';
  /** Whether an account that waits for access has the right. */
  readonly waiting: boolean;
  /** Whether a restricted account has the right. */
  readonly restricted: boolean;
}

interface InOrganization {
  /** The least role in the organization. */
  readonly needs: OrganizationRole;
}

interface OnPlatform {
  readonly needs: 'operator';
}

type Requirement = WithoutSession | OfAccount | InOrganization | OnPlatform;

const NO_SESSION = { needs: 'no session' } as const;
const ANY_ACCOUNT = { needs: 'session', waiting: true, restricted: true } as const;
const UNRESTRICTED_ACCOUNT = { needs: 'session', waiting: true, restricted: false } as const;
const VIEWER = { needs: 'viewer' } as const;
const MEMBER = { needs: 'member' } as const;
const ADMIN = { needs: 'admin' } as const;
const OWNER = { needs: 'owner' } as const;
const OPERATOR = { needs: 'operator' } as const;

/**
 * What other services do for the console. With the call Authorize, the console asks whether the person has the right.
 */
const ACTIONS = {
  'usage.read': VIEWER,
  'requests.read': VIEWER,
  'limits.read': VIEWER,
  'budget.read': VIEWER,
  'webhook.secret': OWNER,
  'platform.usage.read': OPERATOR,
  'platform.requests.read': OPERATOR,
  'fleet.read': OPERATOR,
  'fleet.drain': OPERATOR,
} as const satisfies Record<string, Requirement>;

const CALLS = {
  SignIn: NO_SESSION,
  RedeemSignInLink: NO_SESSION,
  DescribeInvitation: NO_SESSION,
  WhoAmI: ANY_ACCOUNT,
  SignOut: ANY_ACCOUNT,
  CompleteOnboarding: UNRESTRICTED_ACCOUNT,
  AcceptInvitation: UNRESTRICTED_ACCOUNT,
  ExportOwnData: ANY_ACCOUNT,
  // After an erasure, a person can sign in again without the restriction.
  EraseOwnAccount: UNRESTRICTED_ACCOUNT,
  Authorize: { needs: 'session', waiting: false, restricted: false },
  GetOrganization: VIEWER,
  UpdateOrganization: ADMIN,
  DeleteOrganization: OWNER,
  ListMembers: ADMIN,
  SetMemberRole: ADMIN,
  RemoveMember: VIEWER,
  CreateInvitation: ADMIN,
  ListInvitations: ADMIN,
  RevokeInvitation: ADMIN,
  ListProjects: VIEWER,
  CreateProject: ADMIN,
  RenameProject: ADMIN,
  DeleteProject: ADMIN,
  ListApiKeys: VIEWER,
  CreateApiKey: MEMBER,
  RevokeApiKey: MEMBER,
  IssuePlaygroundToken: MEMBER,
  ListModels: VIEWER,
  GetLimits: VIEWER,
  ListAccounts: OPERATOR,
  SetAccountAccess: OPERATOR,
  SetAccountRestricted: OPERATOR,
  SetOperator: OPERATOR,
  EndSessions: OPERATOR,
  ExportPersonalData: OPERATOR,
  EraseAccount: OPERATOR,
  ListOrganizations: OPERATOR,
  ListPlatformResources: OPERATOR,
  GetResource: OPERATOR,
  CreateResource: OPERATOR,
  UpdateResource: OPERATOR,
  DeleteResource: OPERATOR,
  ListAudit: OPERATOR,
} as const satisfies Record<ConsoleCall, Requirement>;

const WITHIN_CALLS = {
  /** To invite, appoint, demote or remove an owner. */
  manageOwners: OWNER,
  /** To change the retention, the budget and the webhooks. */
  changeOwnerFields: OWNER,
  removeOtherMembers: ADMIN,
  revokeKeysOfOthers: ADMIN,
} as const satisfies Record<string, Requirement>;

/**
 * What each right needs. There are three kinds of rights: to make a call, to do something within a call, such as to
 * change an owner, and to take an action that the console asks about with the call Authorize.
 */
export const RIGHTS = { ...CALLS, ...WITHIN_CALLS, ...ACTIONS } as const;

export type Right = keyof typeof RIGHTS;
type RightWith<Wanted extends Requirement> = {
  [Name in Right]: (typeof RIGHTS)[Name] extends Wanted ? Name : never;
}[Right];

export type RightOfAccount = RightWith<OfAccount>;
export type RightInOrganization = RightWith<InOrganization>;
export type RightOnPlatform = RightWith<OnPlatform>;

export type Action = keyof typeof ACTIONS;

export function isAction(text: string): text is Action {
  return Object.hasOwn(ACTIONS, text);
}

export function isRightOnPlatform(right: Right): right is RightOnPlatform {
  return RIGHTS[right].needs === 'operator';
}
