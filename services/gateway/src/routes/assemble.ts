import type { OutcomeLedger } from '@sluice/bus';
import type { RequestRecord } from '@sluice/contracts';
import type { Logger } from '@sluice/service';
import type { CatalogDirectory } from '../access/catalog-directory.ts';
import type { Limiter } from '../admission/admit-request.ts';
import { createCharge } from '../admission/charge.ts';
import type { GatewaySettings } from '../config.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Drain } from '../edge/drain.ts';
import { createGatewayApp, type GatewayApp } from '../edge/server.ts';
import { logRequest } from '../record/request-log.ts';
import { countRequest, measureRequest, startRequestCounters } from '../record/request-metrics.ts';
import { requestRecord } from '../record/request-record.ts';
import type { KeepaliveTimer } from '../reply/event-stream.ts';
import { DirectExaminer } from '../request/body-examiner.ts';
import { ByteBudget } from '../request/byte-budget.ts';
import { ThreadedExaminer } from '../request/examiner-pool.ts';
import { createApi } from './api.ts';
import { createAuthenticate } from './authenticate.ts';
import { createCompletionsRoute } from './completions.ts';
import { createModelsRoutes } from './models.ts';
import { addOpenApiRoute } from './openapi-route.ts';

const MEBIBYTE = 1_024 * 1_024;
/**
 * Limit for the memory of bodies that are being received. It always has room for one body of the maximum size. Without
 * this bound a client could start any number of bodies and pause each of them until the request timeout.
 */
const MAX_ARRIVING_BYTES = 512 * MEBIBYTE;
const MAX_ARRIVING_BYTES_PER_ORGANIZATION = 128 * MEBIBYTE;

export interface HttpDependencies {
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly directory: CatalogDirectory;
  readonly limiter: Limiter;
  readonly dispatcher: Dispatcher;
  readonly drain: Drain;
  readonly keepaliveTimer: KeepaliveTimer;
  readonly clock: () => number;
  readonly wallClock: () => number;
  readonly gateway: string;
  readonly ledger: Pick<OutcomeLedger<RequestRecord>, 'record'>;
  readonly arriving?: ByteBudget;
  /** Everything that the app creates is disposed with this stack. */
  readonly stack: AsyncDisposableStack;
}

/** Builds the HTTP part of a gateway. The parts for tenants, limits and workers are arguments. */
export function assembleApp({
  settings,
  logger,
  directory,
  limiter,
  dispatcher,
  drain,
  keepaliveTimer,
  clock,
  wallClock,
  gateway,
  ledger,
  arriving = arrivingBodyBudget(settings),
  stack,
}: HttpDependencies): GatewayApp {
  const retentionHeader = settings.RETENTION_HEADER;
  const examiner = stack.use(
    new ThreadedExaminer({
      direct: new DirectExaminer(wallClock),
      directLimitBytes: settings.THREAD_BODY_BYTES,
      threads: settings.EXAMINATION_THREADS,
      limitMs: settings.EXAMINATION_LIMIT_MS,
      heapMebibytes: settings.EXAMINATION_HEAP_MEBIBYTES,
      wallClock,
      logger,
    }),
  );
  startRequestCounters();
  const charge = createCharge(limiter);
  const api = {
    authenticate: createAuthenticate({ directory, drain, retentionHeader }),
    charge,
    models: createModelsRoutes({ charge, directory, wallClock }),
    createCompletion: createCompletionsRoute({
      charge,
      directory,
      examiner,
      dispatcher,
      keepaliveTimer,
      streams: {
        lateStatusMs: settings.LATE_STATUS_MS,
        keepaliveMs: settings.KEEPALIVE_MS,
        bufferBytes: settings.STREAM_BUFFER_BYTES,
      },
      bodyLimitBytes: settings.BODY_LIMIT_BYTES,
      arriving,
      requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
      clock,
      wallClock,
    }),
  };
  const app = createGatewayApp({
    apiRoot: settings.API_ROOT,
    retentionHeader,
    corsOrigins: settings.CORS_ORIGINS,
    maxConnections: settings.MAX_CONNECTIONS,
    headerLimitBytes: settings.HEADER_LIMIT_BYTES,
    headersTimeoutMs: settings.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
    keepAliveTimeoutMs: settings.KEEP_ALIVE_TIMEOUT_MS,
    addRoutes: (fastify, send) => {
      addOpenApiRoute(fastify, { apiRoot: settings.API_ROOT, retentionHeader, send });
      void fastify.register(createApi({ ...api, send }), { prefix: settings.API_ROOT });
    },
    drain,
    logger,
    onEnd: (context) => {
      logRequest(context, logger);
      countRequest(context);
      if (context.principal === undefined) return;
      const record = requestRecord(context, { gateway, now: clock(), wallNow: wallClock() });
      ledger.record(record);
      measureRequest(record, context.counts?.expectedCachedTokens ?? 0);
    },
  });
  stack.defer(() => app.fastify.close());
  return app;
}

function arrivingBodyBudget({ BODY_LIMIT_BYTES }: GatewaySettings): ByteBudget {
  return new ByteBudget({
    maxBytes: Math.max(MAX_ARRIVING_BYTES, BODY_LIMIT_BYTES),
    maxBytesPerOrganization: Math.max(MAX_ARRIVING_BYTES_PER_ORGANIZATION, BODY_LIMIT_BYTES),
  });
}
