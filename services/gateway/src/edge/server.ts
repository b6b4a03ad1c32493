import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@sluice/contracts';
import { tracingEnabled, type Logger } from '@sluice/service';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createCors, isPreflight } from './cors.ts';
import type { Drain } from './drain.ts';
import { awaitsBody, discardBody } from './early-reply.ts';
import { errorReply, JSON_TYPE } from './error-reply.ts';
import { NodeErrors } from './node-errors.ts';
import { OpenRequests } from './open-requests.ts';
import { type RequestContext, openSpan } from './request-context.ts';
import { readExpectation, requireHost } from './request-head.ts';
import { type SendJson, acceptEveryMethod } from './routes.ts';

interface HttpSettings {
  /** The prefix of all paths of the API. The reply to an address without this prefix names it. */
  readonly apiRoot: string;
  readonly retentionHeader: string;
  readonly corsOrigins: readonly string[];
  readonly maxConnections: number;
  readonly headerLimitBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
}

export interface GatewayAppOptions extends HttpSettings {
  /** Adds the routes. They send JSON replies with `send`. */
  readonly addRoutes: (app: FastifyInstance, send: SendJson) => void;
  readonly drain: Drain;
  readonly logger: Logger;
  /** Called once per request, when its reply is sent or its client has disconnected. */
  readonly onEnd: (context: RequestContext) => void;
}

export interface GatewayApp {
  readonly fastify: FastifyInstance;
  readonly openRequests: OpenRequests;
}

/** How often Node checks the timeouts for headers and requests. */
const TIMEOUT_CHECK_MS = 1_000;
/**
 * TCP keepalive detects a client machine that vanished without closing its connection. After this much silence, the
 * kernel sends ten probes, one each second:
 * https://nodejs.org/docs/latest-v24.x/api/net.html#socketsetkeepaliveenable-initialdelay
 */
const TCP_KEEPALIVE_DELAY_MS = 10_000;

/** The public HTTP server. */
export function createGatewayApp(options: GatewayAppOptions): GatewayApp {
  const { drain, logger, retentionHeader } = options;
  const cors = createCors({ origins: options.corsOrigins, retentionHeader });
  const openRequests = new OpenRequests(options.onEnd);
  const nodeErrors = new NodeErrors({ openRequests, cors, logger });

  const app = fastify({
    http: {
      maxHeaderSize: options.headerLimitBytes,
      headersTimeout: options.headersTimeoutMs,
      // Set here too, because Node compares it with `headersTimeout` when it creates the server. Fastify sets its own
      // `requestTimeout` after that.
      requestTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEPALIVE_DELAY_MS,
      // `requireHost` checks the Host header and throws our own error.
      requireHostHeader: false,
    },
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    clientErrorHandler: (error, socket) => nodeErrors.handle(error, socket),
    // Fastify runs no hook for a path with an invalid percent-encoding. With each `%` escaped, the path is valid, so it
    // is routed and answered like any other.
    frameworkErrors: (_error, { raw: request }, { raw: response }) => {
      request.url = (request.url ?? '/').replaceAll('%', '%25');
      app.routing(request, response);
    },
    // During a shutdown, `authenticate` refuses requests with our own error body.
    return503OnClosing: false,
  });
  acceptEveryMethod(app);
  // Without these listeners, Node itself answers a request with an Expect header. Here an onRequest hook does:
  // https://nodejs.org/docs/latest-v24.x/api/http.html#event-checkexpectation
  for (const event of ['checkContinue', 'checkExpectation']) {
    app.server.on(event, (request: IncomingMessage, response: ServerResponse) =>
      app.routing(request, response),
    );
  }
  app.server.maxConnections = options.maxConnections;
  openRequests.watch(app.server);

  app.decorateRequest('context');
  app.addHook('onRequest', (request, reply, next) => {
    const operation = request.routeOptions.config.operation ?? 'unknown';
    openRequests.accept({ request: request.raw, response: reply.raw, operation }, (context) => {
      request.context = context;
      next();
    });
  });
  app.addHook('onRequest', async ({ context }, reply) => {
    const { request, method, headers } = context;
    const expectation = readExpectation(request);
    context.awaitsContinue = expectation === 'continue';
    if (expectation === 'unknown') openRequests.closeAfterReply(context);
    cors.addHeaders(headers, request.headers);
    if (drain.phase !== 'serving') openRequests.closeAfterReply(context);
    if (expectation === 'unknown') {
      throw new ServiceError('expectation_failed', 'Only Expect: 100-continue is supported.');
    }
    if (isPreflight(method, request.headers)) {
      prepareEarlyReply(context, openRequests);
      // The reply to a preflight has no request ids, so it gets only this one of the prepared headers.
      const { connection } = headers;
      if (connection !== undefined) reply.header('connection', connection);
      return reply.code(204).headers(cors.preflightHeaders(request.headers)).send();
    }
    if (tracingEnabled()) context.span = openSpan(context);
    requireHost(context);
  });
  app.setErrorHandler((error, request, reply) =>
    replyWithError(request, reply, { error, openRequests }),
  );
  app.setNotFoundHandler(() => {
    throw new ServiceError(
      'unknown_url',
      `There is nothing at this address. The paths of the API begin with ${options.apiRoot}.`,
    );
  });

  const send: SendJson = ({ context }, reply, body) => {
    // After `hijack`, Fastify expects no reply from us.
    if (context.disconnected) return reply.hijack();
    prepareEarlyReply(context, openRequests);
    return reply.headers(context.headers).type(JSON_TYPE).send(body);
  };
  options.addRoutes(app, send);
  return { fastify: app, openRequests };
}

function replyWithError(
  { context, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  { error, openRequests }: { readonly error: unknown; readonly openRequests: OpenRequests },
): FastifyReply {
  if (context.disconnected) return reply.hijack();
  const failure = asErrorOfOperation(context, ServiceError.from(error));
  context.failure = failure;
  const { status, headers, body } = errorReply(failure);
  prepareEarlyReply(context, openRequests);
  const { allow } = routeOptions.config;
  if (failure.code === 'method_not_allowed' && allow !== undefined) reply.header('allow', allow);
  return reply.code(status).headers(context.headers).headers(headers).type(JSON_TYPE).send(body);
}

/** The interface has the status 500 for completions only. Other routes answer 503 instead. */
function asErrorOfOperation({ operation }: RequestContext, error: ServiceError): ServiceError {
  if (error.code !== 'internal_error' || operation === 'completions') return error;
  return new ServiceError(
    'service_unavailable',
    'The service is temporarily unavailable. Please retry.',
    { cause: error.cause, retryable: true },
  );
}

/** Prepares the connection for a reply that may be sent before the whole request has arrived. */
function prepareEarlyReply(context: RequestContext, openRequests: OpenRequests): void {
  // The rest of the body may never come, so the connection cannot be used for another request.
  if (context.awaitsContinue || awaitsBody(context.request)) {
    openRequests.closeAfterReply(context);
  }
  discardBody(context.request);
}
