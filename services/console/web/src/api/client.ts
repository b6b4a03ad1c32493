import type { RouteName, RouteReply, RouteRequest, Routes } from '../../../src/api/routes.ts';
import { texts } from '../texts.ts';

type Paths = {
  readonly [Name in RouteName]: readonly [Routes[Name]['method'], Routes[Name]['path']];
};

/**
 * A copy of the methods and paths in the server's table. The compiler checks that they are equal. The table itself is
 * not imported, because its schemas would make the page several times larger.
 */
const paths = {
  getSession: ['GET', '/api/session'],
  signOut: ['POST', '/api/sign-out'],
  completeOnboarding: ['POST', '/api/onboarding'],
  describeInvitation: ['POST', '/api/invitations/describe'],
  acceptInvitation: ['POST', '/api/invitations/accept'],
  exportOwnData: ['GET', '/api/account/export'],
  eraseOwnAccount: ['POST', '/api/account/erase'],
  getOrganization: ['GET', '/api/organizations/:organization'],
  changeOrganization: ['PATCH', '/api/organizations/:organization'],
  deleteOrganization: ['DELETE', '/api/organizations/:organization'],
  createWebhook: ['POST', '/api/organizations/:organization/webhooks'],
  deleteWebhook: ['DELETE', '/api/organizations/:organization/webhooks/:webhook'],
  listMembers: ['GET', '/api/organizations/:organization/members'],
  changeMember: ['PATCH', '/api/organizations/:organization/members/:account'],
  removeMember: ['DELETE', '/api/organizations/:organization/members/:account'],
  listInvitations: ['GET', '/api/organizations/:organization/invitations'],
  createInvitation: ['POST', '/api/organizations/:organization/invitations'],
  revokeInvitation: ['DELETE', '/api/organizations/:organization/invitations/:invitation'],
  listProjects: ['GET', '/api/organizations/:organization/projects'],
  createProject: ['POST', '/api/organizations/:organization/projects'],
  renameProject: ['PATCH', '/api/organizations/:organization/projects/:project'],
  deleteProject: ['DELETE', '/api/organizations/:organization/projects/:project'],
  listKeys: ['GET', '/api/organizations/:organization/keys'],
  createKey: ['POST', '/api/organizations/:organization/keys'],
  revokeKey: ['POST', '/api/organizations/:organization/keys/:key/revoke'],
  issuePlaygroundCredential: ['POST', '/api/organizations/:organization/playground-credential'],
  listModels: ['GET', '/api/organizations/:organization/models'],
  getLimits: ['GET', '/api/organizations/:organization/limits'],
  getUsage: ['GET', '/api/organizations/:organization/usage'],
  getUsageFile: ['GET', '/api/organizations/:organization/usage.csv'],
  listRequests: ['GET', '/api/organizations/:organization/requests'],
  getRequest: ['GET', '/api/organizations/:organization/requests/:request'],
  getFleet: ['GET', '/api/fleet'],
  drainWorker: ['POST', '/api/fleet/:worker/drain'],
  undrainWorker: ['POST', '/api/fleet/:worker/undrain'],
  listAccounts: ['GET', '/api/admin/accounts'],
  changeAccount: ['POST', '/api/admin/accounts/:account/:action'],
  exportPersonalData: ['GET', '/api/admin/accounts/:account/export'],
  listAudit: ['GET', '/api/admin/audit'],
  listResources: ['GET', '/api/admin/:kind'],
  getResource: ['GET', '/api/admin/:kind/:id'],
  createResource: ['POST', '/api/admin/:kind'],
  replaceResource: ['PUT', '/api/admin/:kind/:id'],
  deleteResource: ['DELETE', '/api/admin/:kind/:id'],
} as const satisfies Paths;

/** The parts that a route takes: its params, query and body. */
export type Ask<Name extends RouteName> = {
  readonly [
    Part in 'params' | 'query' | 'body' as RouteRequest<Name>[Part] extends undefined ? never : Part
  ]: RouteRequest<Name>[Part];
};
interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** An error reply of the console's server. If no reply came, the code is `unreachable` and the status 0. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly help: string | undefined;

  constructor(status: number, code: string, message: string, help?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.help = help;
  }
}

let csrfToken: string | undefined;
/** Sets the token that is sent with every change. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

export function addressOf<Name extends RouteName>(name: Name, ask: Ask<Name>): string {
  const { params = {}, query = {} } = ask as Parts;
  const path = paths[name][1].replaceAll(/:([a-z]+)/g, (_: string, param: string) =>
    encodeURIComponent(String(params[param])),
  );
  const search = new URLSearchParams();
  for (const [field, value] of Object.entries(query)) {
    if (typeof value === 'string' && value !== '') search.set(field, value);
    if (typeof value === 'number') search.set(field, value.toString());
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

export async function call<Name extends RouteName>(
  name: Name,
  ask: Ask<Name>,
  signal?: AbortSignal,
): Promise<RouteReply<Name>> {
  const method = paths[name][0];
  const { body } = ask as Parts;
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (method !== 'GET' && csrfToken !== undefined) headers.set('x-csrf-token', csrfToken);
  const reply = await fetch(addressOf(name, ask), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ApiError(0, 'unreachable', texts.errors.unreachable, texts.errors.unreachableHelp);
  });
  const content: unknown = await reply.json().catch(() => undefined);
  if (!reply.ok) throw errorOfReply(reply.status, content);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server's replies have the schema of the route
  return content as RouteReply<Name>;
}

/** Reads an error reply. It may have another form, because a proxy in front of the server can send it. */
function errorOfReply(status: number, content: unknown): ApiError {
  const { error } = (content ?? {}) as {
    error?: { code?: unknown; message?: unknown; help?: unknown };
  };
  return new ApiError(
    status,
    typeof error?.code === 'string' ? error.code : 'unknown',
    typeof error?.message === 'string' ? error.message : texts.errors.unexpected(status),
    typeof error?.help === 'string' ? error.help : undefined,
  );
}
