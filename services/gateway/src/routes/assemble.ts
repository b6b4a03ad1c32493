import type { Logger } from '@sluice/telemetry';
import type { GatewaySettings } from '../config.ts';
import type { Limiter } from '../domain/admit-request.ts';
import { DirectExaminer } from '../domain/body-examiner.ts';
import type { CatalogDirectory } from '../domain/catalog-directory.ts';
import type { Dispatcher } from '../domain/dispatch-job.ts';
import type { Drain } from '../domain/drain.ts';
import { HeldBytes } from '../domain/held-bytes.ts';
import { ThreadedExaminer } from '../threads/threaded-examiner.ts';
import { createGatewayApp, type GatewayApp } from './app.ts';
import { createAuthenticate } from './authenticate.ts';
import { createCharge } from './charge.ts';
import { createCompletionsRoute } from './completions-route.ts';
import type { Exchange } from './exchange.ts';
import { createModelsRoutes } from './models-routes.ts';
import type { StreamKeeper } from './stream-keeper.ts';

const MEBIBYTE = 1_024 * 1_024;
/**
 * Held of bodies that are on their way; a single one always has room. A client may stop in the middle of one for as
 * long as a request may take, and nothing else bounds how many of them it has begun.
 */
const MOST_ARRIVING_BYTES = 512 * MEBIBYTE;
const MOST_ARRIVING_BYTES_OF_ONE = 128 * MEBIBYTE;

export interface AppParts {
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly directory: CatalogDirectory;
  readonly limiter: Limiter;
  readonly dispatcher: Dispatcher;
  readonly drain: Drain;
  readonly keeper: StreamKeeper;
  readonly clock: () => number;
  readonly wallClock: () => number;
  readonly onOutcome: (exchange: Exchange) => void;
  readonly arriving?: HeldBytes;
  /** Gives back what the app takes. */
  readonly stack: AsyncDisposableStack;
}

/** The HTTP half of a gateway by its settings, on whatever knows tenants, limits and workers. */
export function assembleApp({
  settings,
  logger,
  directory,
  limiter,
  dispatcher,
  drain,
  keeper,
  clock,
  wallClock,
  onOutcome,
  arriving = roomForArriving(settings),
  stack,
}: AppParts): GatewayApp {
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
  const charge = createCharge(limiter);
  const app = createGatewayApp({
    apiRoot: settings.API_ROOT,
    retentionHeader,
    corsOrigins: settings.CORS_ORIGINS,
    maxConnections: settings.MAX_CONNECTIONS,
    headerLimitBytes: settings.HEADER_LIMIT_BYTES,
    headersTimeoutMs: settings.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
    keepAliveTimeoutMs: settings.KEEP_ALIVE_TIMEOUT_MS,
    authenticate: createAuthenticate({ directory, drain, retentionHeader }),
    charge,
    models: createModelsRoutes({ charge, directory, wallClock }),
    createCompletion: createCompletionsRoute({
      charge,
      directory,
      examiner,
      dispatcher,
      keeper,
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
    drain,
    logger,
    onOutcome,
  });
  stack.use(app.connections);
  stack.defer(() => app.fastify.close());
  return app;
}

function roomForArriving({ BODY_LIMIT_BYTES }: GatewaySettings): HeldBytes {
  return new HeldBytes({
    mostBytes: Math.max(MOST_ARRIVING_BYTES, BODY_LIMIT_BYTES),
    mostBytesOfOne: Math.max(MOST_ARRIVING_BYTES_OF_ONE, BODY_LIMIT_BYTES),
  });
}
