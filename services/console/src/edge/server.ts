import { hkdfSync } from 'node:crypto';
import { fastifyCookie } from '@fastify/cookie';
import { fastifyCsrfProtection } from '@fastify/csrf-protection';
import { fastifyHelmet, type FastifyHelmetOptions } from '@fastify/helmet';
import { fastifyRateLimit } from '@fastify/rate-limit';
import { count, measure } from '@sluice/service';
import { fastify, type FastifyInstance } from 'fastify';
import { ConsoleError } from '../answers/console-error.ts';
import { addApiRoutes, type ApiParts } from './api-routes.ts';
import { consoleErrorOf, errorBody, STATUS_OF_CODE } from './error-reply.ts';
import { addPages } from './pages.ts';
import { csrfOwner } from './request-session.ts';
import { addSignInRoutes, type SignInParts } from './sign-in-routes.ts';

export interface ConsoleAppOptions extends ApiParts, SignInParts {
  readonly publicUrl: string;
  readonly webRoot: string;
  /** The newest key of the cookies. */
  readonly cookieKey: Uint8Array;
  readonly trustedProxies: readonly string[] | undefined;
  readonly requestsPerMinute: number;
}

const BODY_LIMIT_BYTES = 262_144;
/** The longest parameter of a path is the id of a webhook: its address of up to 2,048 characters, in base64url. */
const MAX_PARAMETER_LENGTH = 4_096;
const REQUEST_TIMEOUT_MS = 30_000;
const MINUTE_MS = 60_000;

/** The HTTP server: pages, sign-in and the API. */
export async function createConsoleApp(options: ConsoleAppOptions): Promise<FastifyInstance> {
  const { cookies, sessions, logger } = options;
  const app = fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: options.trustedProxies === undefined ? false : [...options.trustedProxies],
    // A HEAD request must not use up a sign-in link.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
  });
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('session');
  addErrorReplies(app, options);
  await app.register(fastifyHelmet, securityHeaders(options));
  await app.register(fastifyCookie);
  await app.register(fastifyCsrfProtection, {
    cookieKey: cookies.names.csrf,
    cookieOpts: { ...cookies.options, sameSite: 'strict' },
    csrfOpts: { hmacKey: csrfKey(options.cookieKey) },
    getToken: ({ headers }) => {
      const token = headers['x-csrf-token'];
      return typeof token === 'string' ? token : '';
    },
    getUserInfo: ({ session }) => (session === undefined ? '' : csrfOwner(session)),
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/api/')) return;
    reply.header('cache-control', 'no-store');
    const cookie = request.cookies[cookies.names.session];
    if (cookie === undefined) return;
    const session = await sessions.read(cookie);
    request.session = session;
    if (session !== undefined && sessions.shouldSealAgain(session)) {
      const lifeMs = session.signedInAtMs + options.sessionLifeMs - Date.now();
      cookies.setSession(reply, await sessions.seal(session), lifeMs);
    }
  });
  // Registered after the hook that reads the session, so that signed-in people behind one address do not share a limit.
  await app.register(fastifyRateLimit, {
    max: options.requestsPerMinute,
    timeWindow: MINUTE_MS,
    keyGenerator: ({ ip, session }) => (session === undefined ? ip : `account ${session.account}`),
    errorResponseBuilder: () =>
      new ConsoleError('too_many_requests', 'Too many requests. Wait a minute and try again.'),
  });
  app.addHook('onResponse', async ({ routeOptions }, reply) => {
    const route = routeOptions.config.metricName ?? 'page';
    count('sluice.console.requests', { route, status: String(reply.statusCode) });
    measure('sluice.console.duration', { route }, reply.elapsedTime / 1_000);
  });
  addApiRoutes(app, options);
  addSignInRoutes(app, options);
  await addPages(app, options.webRoot);
  logger.debug('routes are ready');
  return app;
}

function addErrorReplies(app: FastifyInstance, { cookies, logger }: ConsoleAppOptions): void {
  app.setErrorHandler(async (thrown, { routeOptions }, reply) => {
    const error = consoleErrorOf(thrown);
    const status = STATUS_OF_CODE[error.code];
    const route = routeOptions.config.metricName ?? 'page';
    if (status >= 500) {
      logger.error({ err: error.cause ?? error, code: error.code, route }, 'request failed');
    }
    // The session has ended, or never was valid, so its cookies are of no further use.
    if (error.code === 'signed_out') cookies.clear(reply, 'session', 'csrf');
    return reply.code(status).type('application/json; charset=utf-8').send(errorBody(error));
  });
}

/** Derives a key for CSRF tokens from the key of the cookies (HKDF, RFC 5869), so that each key has one purpose. */
function csrfKey(cookieKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', cookieKey, '', 'sluice csrf', 32));
}

/** The page may load scripts and styles only from the console, and may connect only to it and to the public API. */
function securityHeaders({ publicUrl, deployment }: ConsoleAppOptions): FastifyHelmetOptions {
  const isSecure = publicUrl.startsWith('https:');
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        manifestSrc: ["'self'"],
        connectSrc: ["'self'", new URL(deployment.api_url).origin],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: isSecure && { maxAge: 31_536_000 },
    // Browsers accept these two headers only from https addresses and from this machine.
    crossOriginOpenerPolicy: isSecure,
    originAgentCluster: isSecure,
  };
}
