import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ServiceError, openApiDocument } from '@sluice/contracts';
import { tracingEnabled, type Logger } from '@sluice/telemetry';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Drain } from '../domain/drain.ts';
import { ClientErrors } from './client-errors.ts';
import type { CompletionsRoute } from './completions-route.ts';
import { Connections } from './connections.ts';
import { createCors, isPreflight } from './cors.ts';
import { errorReply } from './error-reply.ts';
import type { Exchange } from './exchange.ts';
import { JSON_TYPE } from './json-type.ts';
import type { ModelsRoutes } from './models-routes.ts';
import { awaitsBody, discardBody } from './read-body.ts';
import { openSpan, reportExchange } from './report-exchange.ts';
import { countRequest, startRequestCounters } from './request-metrics.ts';
import type { RequestPipeline } from './request-pipeline.ts';
import { allowedMethods } from './request-target.ts';

interface HttpSettings {
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
  readonly pipeline: RequestPipeline;
  readonly models: ModelsRoutes;
  readonly createCompletion: CompletionsRoute;
  readonly drain: Drain;
  readonly logger: Logger;
  /** Called once for each request that passed authentication, when its reply is out or its client gone. */
  readonly onOutcome: (exchange: Exchange) => void;
}

export interface GatewayApp {
  readonly fastify: FastifyInstance;
  readonly connections: Connections;
}

const TIMEOUT_CHECK_MS = 1_000;
/**
 * After this long without a word the system asks whether the client's machine is still there, ten times in ten
 * seconds: one that went without a word would be waited for until its answer is complete.
 */
const CLIENT_SILENCE_MS = 10_000;

/** The public HTTP server. */
export function createGatewayApp(options: GatewayAppOptions): GatewayApp {
  const { pipeline, models, createCompletion, drain, logger, apiRoot, retentionHeader } = options;
  startRequestCounters();
  const cors = createCors({ origins: options.corsOrigins, retentionHeader });
  const connections = new Connections(apiRoot, (exchange) => {
    reportExchange(exchange, logger);
    countRequest(exchange);
    if (exchange.principal !== undefined) options.onOutcome(exchange);
  });
  const clientErrors = new ClientErrors({ connections, cors, logger });

  const app = fastify({
    serverFactory: (handle) => createHttpServer(options, { connections, clientErrors, handle }),
    clientErrorHandler: (error, socket) => clientErrors.handle(error, socket),
    // Where a request goes is read from its target as it was written; the router only finds the handler.
    rewriteUrl: (request) => `/${connections.exchangeOf(request).route.name}`,
    return503OnClosing: false,
  });
  const exchangeOf = (request: { raw: IncomingMessage }) => connections.exchangeOf(request.raw);

  // Handlers read bodies themselves, after the checks that come before. Other methods with bodies get no handler.
  app.addHttpMethod('POST', { hasBody: false, overrideExisting: true });
  app.addHook('onRequest', async (request, reply) => {
    const exchange = exchangeOf(request);
    cors.addHeaders(exchange.headers, request.raw.headers);
    if (drain.phase !== 'serving') connections.closeAfterReply(exchange);
    if (isPreflight(exchange.method, request.raw.headers)) {
      finishReading(exchange, connections);
      const { connection } = exchange.headers;
      if (connection !== undefined) reply.header('connection', connection);
      return reply.code(204).headers(cors.preflightHeaders(request.raw.headers)).send();
    }
    if (tracingEnabled()) exchange.span = openSpan(exchange);
    await pipeline.pass(exchange);
  });
  app.setErrorHandler((error, request, reply) =>
    replyWithError(exchangeOf(request), reply, { error, connections }),
  );

  const send = (exchange: Exchange, reply: FastifyReply, body: string | Buffer): FastifyReply => {
    finishReading(exchange, connections);
    return reply.headers(exchange.headers).type(JSON_TYPE).send(body);
  };

  // One buffer for all: a string is copied for each reply.
  const document = Buffer.from(JSON.stringify(openApiDocument({ apiRoot, retentionHeader })));
  app.get('/openapi', (request, reply) => send(exchangeOf(request), reply, document));
  app.get('/models', async (request, reply) => {
    const exchange = exchangeOf(request);
    return send(exchange, reply, await models.list(exchange));
  });
  app.get('/model', async (request, reply) => {
    const exchange = exchangeOf(request);
    return send(exchange, reply, await models.retrieve(exchange));
  });
  app.post('/completions', async (request, reply) => {
    await createCompletion(exchangeOf(request));
    return reply.hijack();
  });
  return { fastify: app, connections };
}

interface ServerParts {
  readonly connections: Connections;
  readonly clientErrors: ClientErrors;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

function createHttpServer(
  options: GatewayAppOptions,
  { connections, clientErrors, handle }: ServerParts,
): Server {
  const begin = (awaitsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) =>
    connections.accept(request, response, (exchange) => {
      exchange.awaitsContinue = awaitsContinue;
      handle(request, response);
    });
  const server = createServer(
    {
      maxHeaderSize: options.headerLimitBytes,
      headersTimeout: options.headersTimeoutMs,
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: options.keepAliveTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAlive: true,
      keepAliveInitialDelay: CLIENT_SILENCE_MS,
      // Refused with a reply of our own.
      requireHostHeader: false,
    },
    begin(false),
  );
  // The client is asked for its body only after it has passed the checks before it.
  server.on('checkContinue', begin(true));
  server.maxConnections = options.maxConnections;
  connections.watch(server);
  clientErrors.watch(server);
  return server;
}

function replyWithError(
  exchange: Exchange,
  reply: FastifyReply,
  { error, connections }: { readonly error: unknown; readonly connections: Connections },
): FastifyReply {
  // Nobody is there to read a reply.
  if (exchange.gone) return reply.hijack();
  const failure = fitForRoute(exchange, ServiceError.from(error));
  exchange.failure = failure;
  const { status, headers, body } = errorReply(failure);
  finishReading(exchange, connections);
  const allowed = allowedMethods(exchange.route);
  if (failure.code === 'method_not_allowed' && allowed !== undefined) {
    reply.header('allow', allowed.join(', '));
  }
  return reply.code(status).headers(exchange.headers).headers(headers).type(JSON_TYPE).send(body);
}

/** The model routes have no 500. */
function fitForRoute({ route }: Exchange, error: ServiceError): ServiceError {
  if (error.code !== 'internal_error' || route.name === 'completions') return error;
  return new ServiceError(
    'service_unavailable',
    'The service is temporarily unavailable. Please retry.',
    { cause: error.cause, retryable: true },
  );
}

/** A reply may come before the whole request has. */
function finishReading(exchange: Exchange, connections: Connections): void {
  // Nobody knows whether, and how, the rest of the body will come: the connection cannot be used again.
  if (exchange.awaitsContinue || awaitsBody(exchange.request)) {
    connections.closeAfterReply(exchange);
  }
  discardBody(exchange);
}
