import * as z from 'zod';
import { Done, OrganizationPath, SearchQuery } from './fields.ts';
import { FleetReply, WorkerPath } from './fleet.ts';
import {
  CreateKeyBody,
  CreateKeyReply,
  KeyPath,
  KeysQuery,
  KeysReply,
  ModelsReply,
  PlaygroundCredentialBody,
  PlaygroundCredentialReply,
} from './keys.ts';
import {
  ChangeMemberBody,
  ChangeOrganizationBody,
  CreateInvitationBody,
  CreateInvitationReply,
  ProjectNameBody,
  CreateWebhookBody,
  CreateWebhookReply,
  InvitationPath,
  InvitationsReply,
  MemberPath,
  MembersReply,
  OrganizationReply,
  Project,
  ProjectPath,
  ProjectsReply,
  WebhookPath,
} from './organizations.ts';
import {
  AccountActionPath,
  AccountPath,
  AccountsQuery,
  AccountsReply,
  AuditQuery,
  AuditReply,
  CreateResourceBody,
  DeleteResourceQuery,
  KindPath,
  PersonalDataReply,
  ReplaceResourceBody,
  ResourcePath,
  ResourceReply,
  ResourcesQuery,
  ResourcesReply,
} from './platform.ts';
import {
  AcceptInvitationBody,
  AcceptInvitationReply,
  DescribeInvitationBody,
  EraseOwnAccountBody,
  InvitationReply,
  OnboardingBody,
  SessionReply,
  SignOutReply,
} from './session.ts';
import {
  LimitsReply,
  RequestPath,
  RequestReply,
  RequestsQuery,
  RequestsReply,
  UsageQuery,
  UsageReply,
} from './usage.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In the syntax of Fastify: a parameter begins with a colon. */
  readonly path: string;
  readonly summary: string;
  /** Whether it is served to people who are not signed in. */
  readonly open?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The schema of the JSON reply. A schema of text means that the reply is a file to save. */
  readonly reply: z.ZodType;
}

const organization = '/api/organizations/:organization';
const CsvFile = z.string().meta({ contentMediaType: 'text/csv' });

/**
 * Every route of the API. The server, its OpenAPI document and the tests read this table, and the web page uses its
 * types.
 */
export const routes = {
  getSession: {
    method: 'GET',
    path: '/api/session',
    summary: 'Who is signed in',
    open: true,
    reply: SessionReply,
  },
  signOut: {
    method: 'POST',
    path: '/api/sign-out',
    summary: 'End all sessions of the person',
    reply: SignOutReply,
  },
  completeOnboarding: {
    method: 'POST',
    path: '/api/onboarding',
    summary: 'Accept the terms and name the organization',
    body: OnboardingBody,
    reply: Done,
  },
  describeInvitation: {
    method: 'POST',
    path: '/api/invitations/describe',
    summary: 'What an invitation is for',
    open: true,
    body: DescribeInvitationBody,
    reply: InvitationReply,
  },
  acceptInvitation: {
    method: 'POST',
    path: '/api/invitations/accept',
    summary: 'Join an organization',
    body: AcceptInvitationBody,
    reply: AcceptInvitationReply,
  },

  exportOwnData: {
    method: 'GET',
    path: '/api/account/export',
    summary: 'Everything that is stored about the signed-in person',
    reply: PersonalDataReply,
  },
  eraseOwnAccount: {
    method: 'POST',
    path: '/api/account/erase',
    summary: 'Erase the account of the signed-in person, and what is only its own',
    body: EraseOwnAccountBody,
    reply: SignOutReply,
  },

  getOrganization: {
    method: 'GET',
    path: organization,
    summary: 'An organization and its settings',
    params: OrganizationPath,
    reply: OrganizationReply,
  },
  changeOrganization: {
    method: 'PATCH',
    path: organization,
    summary: 'Change the name, the retention or the budget',
    params: OrganizationPath,
    body: ChangeOrganizationBody,
    reply: OrganizationReply,
  },
  deleteOrganization: {
    method: 'DELETE',
    path: organization,
    summary: 'Delete an organization, its projects and its keys',
    params: OrganizationPath,
    reply: Done,
  },
  createWebhook: {
    method: 'POST',
    path: `${organization}/webhooks`,
    summary: 'Add a webhook for budget events',
    params: OrganizationPath,
    body: CreateWebhookBody,
    reply: CreateWebhookReply,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: `${organization}/webhooks/:webhook`,
    summary: 'Remove a webhook',
    params: WebhookPath,
    reply: Done,
  },
  listMembers: {
    method: 'GET',
    path: `${organization}/members`,
    summary: 'The members and their roles',
    params: OrganizationPath,
    query: SearchQuery,
    reply: MembersReply,
  },
  changeMember: {
    method: 'PATCH',
    path: `${organization}/members/:account`,
    summary: 'Change the role of a member',
    params: MemberPath,
    body: ChangeMemberBody,
    reply: Done,
  },
  removeMember: {
    method: 'DELETE',
    path: `${organization}/members/:account`,
    summary: 'Remove a member, or leave the organization',
    params: MemberPath,
    reply: Done,
  },
  listInvitations: {
    method: 'GET',
    path: `${organization}/invitations`,
    summary: 'Invitations that were not accepted yet',
    params: OrganizationPath,
    reply: InvitationsReply,
  },
  createInvitation: {
    method: 'POST',
    path: `${organization}/invitations`,
    summary: 'Make an invitation, whose link is shown once',
    params: OrganizationPath,
    body: CreateInvitationBody,
    reply: CreateInvitationReply,
  },
  revokeInvitation: {
    method: 'DELETE',
    path: `${organization}/invitations/:invitation`,
    summary: 'Revoke an invitation',
    params: InvitationPath,
    reply: Done,
  },
  listProjects: {
    method: 'GET',
    path: `${organization}/projects`,
    summary: 'The projects of an organization',
    params: OrganizationPath,
    query: SearchQuery,
    reply: ProjectsReply,
  },
  createProject: {
    method: 'POST',
    path: `${organization}/projects`,
    summary: 'Create a project',
    params: OrganizationPath,
    body: ProjectNameBody,
    reply: Project,
  },
  renameProject: {
    method: 'PATCH',
    path: `${organization}/projects/:project`,
    summary: 'Rename a project',
    params: ProjectPath,
    body: ProjectNameBody,
    reply: Project,
  },
  deleteProject: {
    method: 'DELETE',
    path: `${organization}/projects/:project`,
    summary: 'Delete a project without valid keys',
    params: ProjectPath,
    reply: Done,
  },

  listKeys: {
    method: 'GET',
    path: `${organization}/keys`,
    summary: 'The API keys, newest first',
    params: OrganizationPath,
    query: KeysQuery,
    reply: KeysReply,
  },
  createKey: {
    method: 'POST',
    path: `${organization}/keys`,
    summary: 'Create an API key, which is shown once',
    params: OrganizationPath,
    body: CreateKeyBody,
    reply: CreateKeyReply,
  },
  revokeKey: {
    method: 'POST',
    path: `${organization}/keys/:key/revoke`,
    summary: 'Revoke an API key for good',
    params: KeyPath,
    reply: Done,
  },
  issuePlaygroundCredential: {
    method: 'POST',
    path: `${organization}/playground-credential`,
    summary: 'A credential of ten minutes for the playground',
    params: OrganizationPath,
    body: PlaygroundCredentialBody,
    reply: PlaygroundCredentialReply,
  },
  listModels: {
    method: 'GET',
    path: `${organization}/models`,
    summary: 'The models of the plan',
    params: OrganizationPath,
    reply: ModelsReply,
  },

  getLimits: {
    method: 'GET',
    path: `${organization}/limits`,
    summary: 'The limits of requests and tokens, and what is left of them now',
    params: OrganizationPath,
    reply: LimitsReply,
  },
  getUsage: {
    method: 'GET',
    path: `${organization}/usage`,
    summary: 'Usage, grouped by one or two dimensions',
    params: OrganizationPath,
    query: UsageQuery,
    reply: UsageReply,
  },
  getUsageFile: {
    method: 'GET',
    path: `${organization}/usage.csv`,
    summary: 'Usage, grouped by one or two dimensions, as a CSV file',
    params: OrganizationPath,
    query: UsageQuery,
    reply: CsvFile,
  },
  listRequests: {
    method: 'GET',
    path: `${organization}/requests`,
    summary: 'The last requests, newest first',
    params: OrganizationPath,
    query: RequestsQuery,
    reply: RequestsReply,
  },
  getRequest: {
    method: 'GET',
    path: `${organization}/requests/:request`,
    summary: 'One request explained',
    params: RequestPath,
    reply: RequestReply,
  },

  getFleet: {
    method: 'GET',
    path: '/api/fleet',
    summary: 'The pools and their workers',
    reply: FleetReply,
  },
  drainWorker: {
    method: 'POST',
    path: '/api/fleet/:worker/drain',
    summary: 'Let a worker finish its jobs and take no new ones',
    params: WorkerPath,
    reply: Done,
  },
  undrainWorker: {
    method: 'POST',
    path: '/api/fleet/:worker/undrain',
    summary: 'Let a worker take jobs again',
    params: WorkerPath,
    reply: Done,
  },
  listAccounts: {
    method: 'GET',
    path: '/api/admin/accounts',
    summary: 'The accounts of the platform',
    query: AccountsQuery,
    reply: AccountsReply,
  },
  changeAccount: {
    method: 'POST',
    path: '/api/admin/accounts/:account/:action',
    summary: 'Grant access, restrict, end sessions or erase an account',
    params: AccountActionPath,
    reply: Done,
  },
  exportPersonalData: {
    method: 'GET',
    path: '/api/admin/accounts/:account/export',
    summary: 'Everything that is stored about a person',
    params: AccountPath,
    reply: PersonalDataReply,
  },
  listAudit: {
    method: 'GET',
    path: '/api/admin/audit',
    summary: 'Changes and their authors, newest first',
    query: AuditQuery,
    reply: AuditReply,
  },
  listResources: {
    method: 'GET',
    path: '/api/admin/:kind',
    summary: 'Models, plans, organizations or projects',
    params: KindPath,
    query: ResourcesQuery,
    reply: ResourcesReply,
  },
  getResource: {
    method: 'GET',
    path: '/api/admin/:kind/:id',
    summary: 'One resource',
    params: ResourcePath,
    reply: ResourceReply,
  },
  createResource: {
    method: 'POST',
    path: '/api/admin/:kind',
    summary: 'Create a resource',
    params: KindPath,
    body: CreateResourceBody,
    reply: ResourceReply,
  },
  replaceResource: {
    method: 'PUT',
    path: '/api/admin/:kind/:id',
    summary: 'Replace a resource',
    params: ResourcePath,
    body: ReplaceResourceBody,
    reply: ResourceReply,
  },
  deleteResource: {
    method: 'DELETE',
    path: '/api/admin/:kind/:id',
    summary: 'Delete a resource',
    params: ResourcePath,
    query: DeleteResourceQuery,
    reply: Done,
  },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type InputPart<Name extends RouteName, Part extends 'params' | 'query' | 'body'> =
  Routes[Name] extends Record<Part, infer Schema extends z.ZodType> ? Schema : undefined;

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** A request as the server gets it, parsed by the schemas of the route. */
export interface RouteInput<Name extends RouteName> {
  readonly params: Parsed<InputPart<Name, 'params'>>;
  readonly query: Parsed<InputPart<Name, 'query'>>;
  readonly body: Parsed<InputPart<Name, 'body'>>;
}

/** A request as the web page sends it. Fields with a default may be left out. */
export interface RouteRequest<Name extends RouteName> {
  readonly params: Sent<InputPart<Name, 'params'>>;
  readonly query: Sent<InputPart<Name, 'query'>>;
  readonly body: Sent<InputPart<Name, 'body'>>;
}

export type RouteReply<Name extends RouteName> = z.output<Routes[Name]['reply']>;
