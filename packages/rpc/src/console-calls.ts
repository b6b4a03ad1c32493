import type { MethodDefinition } from '@grpc/proto-loader';
import type { CatalogConsoleDefinition } from './generated/sluice/catalog/v1/CatalogConsole.ts';

/** The methods of the service, without the index signature of the generated type. */
type Methods = {
  [
    Name in keyof CatalogConsoleDefinition as string extends Name ? never : Name
  ]: CatalogConsoleDefinition[Name];
};

/** The name of a call of the console, as in `proto/catalog/v1/console.proto`. */
export type ConsoleCall = Extract<keyof Methods, string>;

type Part<Name extends ConsoleCall> =
  Methods[Name] extends MethodDefinition<
    infer RequestInput,
    infer ReplyInput,
    infer Request,
    infer Reply
  >
    ? { requestInput: RequestInput; replyInput: ReplyInput; request: Request; reply: Reply }
    : never;

export type ConsoleRequestInput<Name extends ConsoleCall> = Part<Name>['requestInput'];
export type ConsoleReplyInput<Name extends ConsoleCall> = Part<Name>['replyInput'];
export type ConsoleRequest<Name extends ConsoleCall> = Part<Name>['request'];
export type ConsoleReply<Name extends ConsoleCall> = Part<Name>['reply'];

/** Whether a call only reads, so that it may be sent to a second replica if the first is not reached. */
const ONLY_READS: Readonly<Record<ConsoleCall, boolean>> = {
  SignIn: false,
  RedeemSignInLink: false,
  DescribeInvitation: true,
  WhoAmI: true,
  SignOut: false,
  CompleteOnboarding: false,
  AcceptInvitation: false,
  ExportOwnData: true,
  EraseOwnAccount: false,
  GetOrganization: true,
  UpdateOrganization: false,
  DeleteOrganization: false,
  ListMembers: true,
  SetMemberRole: false,
  RemoveMember: false,
  CreateInvitation: false,
  ListInvitations: true,
  RevokeInvitation: false,
  ListProjects: true,
  CreateProject: false,
  RenameProject: false,
  DeleteProject: false,
  ListApiKeys: true,
  CreateApiKey: false,
  RevokeApiKey: false,
  IssuePlaygroundToken: false,
  ListModels: true,
  GetLimits: true,
  Authorize: true,
  ListAccounts: true,
  SetAccountAccess: false,
  SetAccountRestricted: false,
  SetOperator: false,
  EndSessions: false,
  ExportPersonalData: true,
  EraseAccount: false,
  ListOrganizations: true,
  ListPlatformResources: true,
  GetResource: true,
  CreateResource: false,
  UpdateResource: false,
  DeleteResource: false,
  ListAudit: true,
};

export const CONSOLE_CALLS = Object.keys(ONLY_READS).filter(isConsoleCall);

export function onlyReads(call: ConsoleCall): boolean {
  return ONLY_READS[call];
}

function isConsoleCall(text: string): text is ConsoleCall {
  return Object.hasOwn(ONLY_READS, text);
}
