import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError, openApiDocument } from '@sluice/contracts';
import { tracingEnabled, type Logger } from '@sluice/telemetry';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Drain } from '../domain/drain.ts';
import { createApi, type ApiParts, type SendJson } from './api.ts';
import { ClientErrors } from './client-errors.ts';
import { Connections } from './connections.ts';
import { createCors, isPreflight } from './cors.ts';
import { errorReply } from './error-reply.ts';
import type { Exchange } from './exchange.ts';
import { readExpectation } from './expectation.ts';
import { JSON_TYPE } from './json-type.ts';
import { awaitsBody, discardBody } from './read-body.ts';
import { openSpan, reportExchange } from './report-exchange.ts';
import { countRequest, startRequestCounters } from './request-metrics.ts';
import { requireHost } from './require-host.ts';
import {
  READ_METHODS,
  acceptEveryMethod,
  refuseOtherMethods,
  refuseUnknownPath,
} from './routes.ts';

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

export interface GatewayAppOptions extends HttpSettings, ApiParts {
  readonly drain: Drain;
  readonly logger: Logger;
  /** Called once for each request that passed authentication, when its reply is out or its client gone. */
  readonly onOutcome: (exchange: Exchange) => void;
}

export interface GatewayApp {
  readonly fastify: FastifyInstance;
  readonly connections: Connections;
}

const OPENAPI = { operation: 'openapi', allow: READ_METHODS } as const;
const TIMEOUT_CHECK_MS = 1_000;
/**
 * After this long without a word the system asks whether the client's machine is still there, ten times in ten
 * seconds: one that went without a word would be waited for until its answer is complete.
 */
const CLIENT_SILENCE_MS = 10_000;

/** The public HTTP server. */
export function createGatewayApp(options: GatewayAppOptions): GatewayApp {
  const { drain, logger, apiRoot, retentionHeader } = options;
  startRequestCounters();
  const cors = createCors({ origins: options.corsOrigins, retentionHeader });
  const connections = new Connections((exchange) => {
    reportExchange(exchange, logger);
    countRequest(exchange);
    if (exchange.principal !== undefined) options.onOutcome(exchange);
  });
  const clientErrors = new ClientErrors({ connections, cors, logger });

  const app = fastify({
    http: {
      maxHeaderSize: options.headerLimitBytes,
      headersTimeout: options.headersTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAlive: true,
      keepAliveInitialDelay: CLIENT_SILENCE_MS,
      // Refused with a reply of our own.
      requireHostHeader: false,
    },
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    clientErrorHandler: (error, socket) => clientErrors.handle(error, socket),
    // No hook runs for a path whose percent-encoding means nothing. It is routed as the text that it is.
    frameworkErrors: (_error, { raw: request }, { raw: response }) => {
      request.url = (request.url ?? '/').replaceAll('%', '%25');
      app.routing(request, response);
    },
    return503OnClosing: false,
  });
  acceptEveryMethod(app);
  // A hook decides what becomes of an expectation.
  for (const event of ['checkContinue', 'checkExpectation']) {
    app.server.on(event, (request: IncomingMessage, response: ServerResponse) =>
      app.routing(request, response),
    );
  }
  app.server.maxConnections = options.maxConnections;
  connections.watch(app.server);
  clientErrors.watch(app.server);

  app.decorateRequest('exchange');
  app.addHook('onRequest', (request, reply, next) => {
    const operation = request.routeOptions.config.operation ?? 'unknown';
    connections.accept({ request: request.raw, response: reply.raw, operation }, (exchange) => {
      request.exchange = exchange;
      next();
    });
  });
  app.addHook('onRequest', async ({ exchange }, reply) => {
    const { request, method, headers } = exchange;
    const expectation = readExpectation(request);
    exchange.awaitsContinue = expectation === 'continue';
    if (expectation === 'unknown') connections.closeAfterReply(exchange);
    cors.addHeaders(headers, request.headers);
    if (drain.phase !== 'serving') connections.closeAfterReply(exchange);
    if (expectation === 'unknown') {
      throw new ServiceError('expectation_failed', 'Only Expect: 100-continue is supported.');
    }
    if (isPreflight(method, request.headers)) {
      finishReading(exchange, connections);
      const { connection } = headers;
      if (connection !== undefined) reply.header('connection', connection);
      return reply.code(204).headers(cors.preflightHeaders(request.headers)).send();
    }
    if (tracingEnabled()) exchange.span = openSpan(exchange);
    exchange.abandoned.throwIfAborted();
    requireHost(exchange);
  });
  app.setErrorHandler((error, request, reply) =>
    replyWithError(request, reply, { error, connections }),
  );
  app.setNotFoundHandler(refuseUnknownPath);

  const send: SendJson = ({ exchange }, reply, body) => {
    finishReading(exchange, connections);
    return reply.headers(exchange.headers).type(JSON_TYPE).send(body);
  };
  // One buffer for all: a string is copied for each reply.
  const document = Buffer.from(JSON.stringify(openApiDocument({ apiRoot, retentionHeader })));
  app.get('/openapi.json', { config: OPENAPI }, (request, reply) => send(request, reply, document));
  refuseOtherMethods(app, '/openapi.json', OPENAPI);
  app.register(createApi({ ...options, send }), { prefix: apiRoot });
  return { fastify: app, connections };
}

function replyWithError(
  { exchange, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  { error, connections }: { readonly error: unknown; readonly connections: Connections },
): FastifyReply {
  // Nobody is there to read a reply.
  if (exchange.gone) return reply.hijack();
  const failure = fitForOperation(exchange, ServiceError.from(error));
  exchange.failure = failure;
  const { status, headers, body } = errorReply(failure);
  finishReading(exchange, connections);
  const { allow } = routeOptions.config;
  if (failure.code === 'method_not_allowed' && allow !== undefined) reply.header('allow', allow);
  return reply.code(status).headers(exchange.headers).headers(headers).type(JSON_TYPE).send(body);
}

/** Only completions have a 500. */
function fitForOperation({ operation }: Exchange, error: ServiceError): ServiceError {
  if (error.code !== 'internal_error' || operation === 'completions') return error;
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
