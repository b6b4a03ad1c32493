import type { OrganizationRole } from '@sluice/contracts';
import type { ConsoleCall } from '@sluice/rpc';

/**
 * What each call of the console needs. The table also lists rights within a call, such as to change an owner, and the
 * actions of the call Authorize, which other services answer.
 */

interface WithoutSession {
  readonly needs: 'no session';
}

interface OfAccount {
  readonly needs: 'session';
  /** Whether an account that waits for access has the right. */
  readonly waiting: boolean;
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

const ANYBODY = { needs: 'no session' } as const;
const OWN_STATE = { needs: 'session', waiting: true, restricted: true } as const;
const OWN_CHANGE = { needs: 'session', waiting: true, restricted: false } as const;
const VIEWER = { needs: 'viewer' } as const;
const MEMBER = { needs: 'member' } as const;
const ADMIN = { needs: 'admin' } as const;
const OWNER = { needs: 'owner' } as const;
const OPERATOR = { needs: 'operator' } as const;

/** The actions of the call Authorize. */
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
  SignIn: ANYBODY,
  RedeemSignInLink: ANYBODY,
  DescribeInvitation: ANYBODY,
  WhoAmI: OWN_STATE,
  SignOut: OWN_STATE,
  CompleteOnboarding: OWN_CHANGE,
  AcceptInvitation: OWN_CHANGE,
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
  /** To change or remove an owner, to appoint one, and to invite one. */
  manageOwners: OWNER,
  /** To change the retention, the budget and the webhooks. */
  changePromises: OWNER,
  removeOtherMembers: ADMIN,
  revokeKeysOfOthers: ADMIN,
} as const satisfies Record<string, Requirement>;

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
