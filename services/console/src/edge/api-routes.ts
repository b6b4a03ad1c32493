import type { CatalogConsoleClient } from '@sluice/rpc';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { describePerson } from '../answers/account-answers.ts';
import { askAs, type Answers, type AnsweredRoute } from '../answers/answers.ts';
import { ConsoleError } from '../answers/console-error.ts';
import {
  routes,
  type Route,
  type RouteInput,
  type RouteName,
  type RouteReply,
} from '../api/routes.ts';
import type { Session } from '../session/sessions.ts';
import type { Cookies } from './cookies.ts';
import { openApiDocument } from './openapi.ts';
import { csrfOwner } from './request-session.ts';

export interface Deployment {
  readonly api_url: string;
  readonly terms_url: string | null;
  readonly version: string;
}

export interface ApiParts {
  readonly catalog: Pick<CatalogConsoleClient, 'call'>;
  readonly answers: Answers;
  readonly cookies: Cookies;
  readonly deployment: Deployment;
  /** Asks for the page of the provider that ends its own session. Undefined without a provider. */
  readonly signOutUrl: (() => Promise<string | null>) | undefined;
}

/** Adds every route of the table. */
export function addApiRoutes(app: FastifyInstance, parts: ApiParts): void {
  const document = openApiDocument(parts.deployment.version);
  app.get('/api/openapi.json', { config: { metricName: 'openapi' } }, () => document);
  addRoute(app, 'getSession', (_input, request, reply) => describeSession(request, reply, parts));
  addRoute(app, 'signOut', (_input, request, reply) => signOut(request, reply, parts));
  addRoute(app, 'eraseOwnAccount', (input, request, reply) =>
    eraseOwnAccount(input, { request, reply }, parts),
  );
  for (const name of Object.keys(parts.answers).filter(isAnswered(parts.answers))) {
    addRoute(app, name, answerOf(name, parts));
  }
}

type Handler<Name extends RouteName> = (
  input: RouteInput<Name>,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<RouteReply<Name>>;

function answerOf<Name extends AnsweredRoute>(
  name: Name,
  { answers, catalog }: ApiParts,
): Handler<Name> {
  const answer = answers[name];
  return (input, { session }) => answer(input, askAs(catalog, session));
}

function isAnswered(answers: Answers) {
  return (name: string): name is AnsweredRoute => Object.hasOwn(answers, name);
}

function addRoute<Name extends RouteName>(
  app: FastifyInstance,
  name: Name,
  handle: Handler<Name>,
): void {
  const route: Route = routes[name];
  const { method, path, open } = route;
  const isChange = method !== 'GET' && open !== true;
  app.route({
    method,
    url: path,
    config: { metricName: name },
    onRequest: async (request) => {
      if (open !== true && request.session === undefined) {
        throw new ConsoleError('signed_out', 'You are signed out. Sign in and try again.');
      }
      if (isChange) refuseOtherSites(request);
    },
    ...(isChange && { preHandler: (...call) => app.csrfProtection(...call) }),
    handler: async (request, reply) => {
      const answer = await handle(readInput<Name>(route, request), request, reply);
      if (typeof answer !== 'string') return answer;
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="usage.csv"')
        .send(answer);
    },
  });
}

/**
 * Refuses changes that a page of another site makes the browser send. Old browsers do not send `Sec-Fetch-Site`, so the
 * CSRF token is checked, too: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return;
  throw new ConsoleError('csrf_token_invalid', 'Only pages of the console may change something.');
}

function readInput<Name extends RouteName>(
  { params, query, body }: Route,
  request: FastifyRequest,
): RouteInput<Name> {
  const input = {
    params: read(params, request.params),
    query: read(query, request.query),
    body: read(body, request.body),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas are those of the same route
  return input as RouteInput<Name>;
}

function read(schema: z.ZodType | undefined, sent: unknown): unknown {
  if (schema === undefined) return undefined;
  const { data, error } = schema.safeParse(sent);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new ConsoleError(
    'invalid_value',
    place === '' ? 'The request has no valid body.' : `${place}: ${issue?.message}`,
  );
}

async function describeSession(
  { session }: FastifyRequest,
  reply: FastifyReply,
  { catalog, cookies, deployment, signOutUrl }: ApiParts,
): Promise<RouteReply<'getSession'>> {
  const signedOut = {
    state: 'signed_out',
    sign_in: { provider: signOutUrl !== undefined, link: true },
    ...deployment,
  } as const;
  if (session === undefined) return signedOut;
  const person = await whoIs(session, catalog);
  if (person === undefined) {
    cookies.clear(reply, 'session', 'csrf');
    return signedOut;
  }
  return {
    state: 'signed_in',
    ...person,
    csrf_token: reply.generateCsrf({ userInfo: csrfOwner(session) }),
    ...deployment,
  };
}

/** The signed-in person. Undefined if the session was ended. */
async function whoIs(session: Session, catalog: ApiParts['catalog']) {
  try {
    return describePerson(await askAs(catalog, session)('WhoAmI', {}));
  } catch (error) {
    if (error instanceof ConsoleError && error.code === 'signed_out') return undefined;
    throw error;
  }
}

/** Ends all sessions of the person. If the catalog cannot be asked, the cookie stays, so that the person can retry. */
async function signOut(
  { session }: FastifyRequest,
  reply: FastifyReply,
  parts: ApiParts,
): Promise<RouteReply<'signOut'>> {
  await askAs(parts.catalog, session)('SignOut', {});
  return endSession(session, reply, parts);
}

/** Deletes the account, which ends all of its sessions. */
async function eraseOwnAccount(
  { body }: RouteInput<'eraseOwnAccount'>,
  { request: { session }, reply }: { request: FastifyRequest; reply: FastifyReply },
  parts: ApiParts,
): Promise<RouteReply<'eraseOwnAccount'>> {
  if (body.account !== session?.account) {
    throw new ConsoleError('invalid_value', 'account: is not the account that is signed in');
  }
  await askAs(parts.catalog, session)('EraseOwnAccount', {});
  return endSession(session, reply, parts);
}

async function endSession(
  session: Session | undefined,
  reply: FastifyReply,
  { cookies, signOutUrl }: ApiParts,
): Promise<RouteReply<'signOut'>> {
  cookies.clear(reply, 'session', 'csrf');
  if (session?.via !== 'provider' || signOutUrl === undefined) return { sign_out_url: null };
  // The person is signed out here, even if the provider cannot be asked.
  return { sign_out_url: await signOutUrl().catch(() => null) };
}
