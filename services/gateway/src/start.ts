import { busAccess, connectBus, type Bus } from '@sluice/bus';
import { mintProcessId, subjectsUnder, type Subjects } from '@sluice/contracts';
import { ConfigurationError, type RunningService } from '@sluice/host';
import { connectCatalog, connectQuota, rpcClientTls, type QuotaClient } from '@sluice/rpc';
import { observe, type Logger } from '@sluice/telemetry';
import { atMost } from '@sluice/timing';
import { announceLease } from './bus/announce-lease.ts';
import { AttemptTable } from './bus/attempt-table.ts';
import { BusCarrier } from './bus/bus-carrier.ts';
import { Cancellations } from './bus/cancellations.ts';
import { EndedWorkers } from './bus/ended-workers.ts';
import { followCatalog } from './bus/follow-catalog.ts';
import { followFleet } from './bus/follow-fleet.ts';
import { openOutcomeLedger, type OutcomeLedger } from './bus/outcome-ledger.ts';
import type { GatewaySettings } from './config.ts';
import { DirectExaminer } from './domain/body-examiner.ts';
import { CatalogDirectory } from './domain/catalog-directory.ts';
import { Dispatcher } from './domain/dispatch-job.ts';
import { FleetTable } from './domain/fleet-table.ts';
import { warmUpExamination } from './domain/warm-up-examination.ts';
import { createGatewayApp, type GatewayApp } from './http/app.ts';
import { ArrivingBodies } from './http/arriving-bodies.ts';
import { createCompletionsRoute } from './http/completions-route.ts';
import { Drain } from './http/drain.ts';
import { createModelsRoutes } from './http/models-routes.ts';
import { NeighbourWatch } from './http/neighbour-watch.ts';
import { measureRequest } from './http/request-metrics.ts';
import { RequestPipeline } from './http/request-pipeline.ts';
import { requestRecord } from './http/request-record.ts';
import { stopServing } from './http/stop-serving.ts';
import { StreamKeeper } from './http/stream-keeper.ts';
import { grpcCatalogReader } from './rpc/grpc-catalog-reader.ts';
import { ThreadedExaminer } from './threads/threaded-examiner.ts';

export interface RunningGateway extends RunningService {
  readonly url: string;
}

const MEBIBYTE = 1_024 * 1_024;
/** Held of bodies that are on their way; a single one always has room. */
const MOST_ARRIVING_BYTES = 512 * MEBIBYTE;
const MOST_ARRIVING_BYTES_OF_ONE = 128 * MEBIBYTE;
/** What a job adds to the client's body on the bus, at most. */
const JOB_OVERHEAD_BYTES = 8_192;
const LAST_CANCELS_MS = 2_000;

const clock = () => performance.now();
const wallClock = () => Date.now();

/** Wires the gateway and starts listening. */
export async function start(settings: GatewaySettings, logger: Logger): Promise<RunningGateway> {
  const gateway = mintProcessId();
  const tls = rpcClientTls(settings);
  await using starting = new AsyncDisposableStack();
  const bus = starting.use(
    await connectBus({ ...busAccess(settings), name: `gateway ${gateway}`, logger }),
  );
  requireRoomForBodies(bus, settings);
  const subjects = subjectsUnder(settings.SUBJECT_PREFIX);
  const ledger = starting.use(openOutcomeLedger({ bus, subjects, settings }));
  const quota = starting.use(
    connectQuota({
      addresses: settings.QUOTA_ADDRESSES,
      deadlineMs: settings.QUOTA_DEADLINE_MS,
      tls,
      logger,
    }),
  );
  const catalog = starting.use(
    connectCatalog({
      addresses: settings.CATALOG_ADDRESSES,
      deadlineMs: settings.CATALOG_DEADLINE_MS,
      tls,
      logger,
    }),
  );
  const directory = new CatalogDirectory({
    reader: grpcCatalogReader(catalog),
    freshMs: settings.CATALOG_CACHE_MS,
    staleMs: settings.CATALOG_STALE_MS,
    maximumEntries: settings.CATALOG_CACHE_ENTRIES,
    clock,
    wallClock,
  });
  starting.use(followCatalog({ bus, subjects, directory, logger }));
  const fleet = new FleetTable(clock);
  starting.use(followFleet({ bus, subjects, fleet, logger }));
  const { dispatcher, carrier, attempts, cancellations } = startDispatch({
    settings,
    logger,
    bus,
    subjects,
    gateway,
    fleet,
    stack: starting,
  });
  const drain = new Drain();
  const keeper = starting.use(new StreamKeeper(clock));
  const app = createApp({
    settings,
    logger,
    directory,
    quota,
    dispatcher,
    drain,
    gateway,
    ledger,
    keeper,
    stack: starting,
  });
  observe('sluice.gateway.open_requests', () => app.connections.exchangeCount);
  observe('sluice.gateway.open_streams', () => keeper.size);
  observe('sluice.gateway.running_jobs', () => dispatcher.running);
  observe('sluice.gateway.workers', () => fleet.size);
  const underWay = () => ({
    holdings: {
      exchanges: app.connections.exchangeCount,
      streams: keeper.size,
      jobs: dispatcher.running,
      attempts: attempts.size,
      cancels: cancellations.size,
      waits: fleet.awaitedBy,
    },
    remembered: { attempts: attempts.leftCount },
    subscriptions: bus.subscriptionCount,
  });
  const neighbours = new NeighbourWatch({ bus, quota, catalog, fleet, carrier, ledger });
  warmUpExamination();
  const url = await app.fastify.listen({ host: settings.HOST, port: settings.PORT });
  logger.info({ url, gateway }, 'listening');
  starting.defer(() =>
    stopServing(app, drain, {
      announceMs: settings.DRAIN_ANNOUNCE_MS,
      limitMs: settings.DRAIN_LIMIT_MS,
    }),
  );
  const running = starting.move();
  return {
    url,
    readiness: () => {
      const { ready, details } = neighbours.readiness(drain.phase);
      return { ready, details: { ...details, ...underWay() } };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface DispatchParts {
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly gateway: string;
  readonly fleet: FleetTable;
  readonly stack: AsyncDisposableStack;
}

function startDispatch({ settings, logger, bus, subjects, gateway, fleet, stack }: DispatchParts) {
  const cancellations = stack.use(new Cancellations({ bus, subjects, logger }));
  // Those who still run are told to stop before the connection goes.
  stack.defer(() => atMost(LAST_CANCELS_MS, cancellations.settled()));
  const attempts = stack.use(new AttemptTable({ bus, subjects, gateway, cancellations, clock }));
  stack.use(new EndedWorkers({ bus, subjects, fleet, attempts }));
  const carrier = stack.use(new BusCarrier({ bus, subjects, gateway, attempts }));
  const dispatcher = new Dispatcher({
    gateway,
    fleet,
    carrier,
    clock,
    random: Math.random,
    queueMs: settings.QUEUE_TIMEOUT_MS,
    runMs: settings.RUN_TIMEOUT_MS,
  });
  stack.use(announceLease({ bus, subjects, gateway }));
  return { dispatcher, carrier, attempts, cancellations };
}

interface AppParts {
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly directory: CatalogDirectory;
  readonly quota: QuotaClient;
  readonly dispatcher: Dispatcher;
  readonly drain: Drain;
  readonly gateway: string;
  readonly ledger: OutcomeLedger;
  readonly keeper: StreamKeeper;
  readonly stack: AsyncDisposableStack;
}

function createApp({
  settings,
  logger,
  directory,
  quota,
  dispatcher,
  drain,
  gateway,
  ledger,
  keeper,
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
  const pipeline = new RequestPipeline({ directory, limiter: quota, drain, retentionHeader });
  const app = createGatewayApp({
    apiRoot: settings.API_ROOT,
    retentionHeader,
    corsOrigins: settings.CORS_ORIGINS,
    headerLimitBytes: settings.HEADER_LIMIT_BYTES,
    headersTimeoutMs: settings.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: settings.REQUEST_TIMEOUT_MS,
    keepAliveTimeoutMs: settings.KEEP_ALIVE_TIMEOUT_MS,
    pipeline,
    models: createModelsRoutes({ pipeline, directory, wallClock }),
    createCompletion: createCompletionsRoute({
      pipeline,
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
      arriving: new ArrivingBodies({
        mostBytes: Math.max(MOST_ARRIVING_BYTES, settings.BODY_LIMIT_BYTES),
        mostBytesOfOne: Math.max(MOST_ARRIVING_BYTES_OF_ONE, settings.BODY_LIMIT_BYTES),
      }),
      clock,
      wallClock,
    }),
    drain,
    logger,
    onOutcome: (exchange) => {
      const record = requestRecord(exchange, { gateway, now: clock(), wallNow: wallClock() });
      ledger.record(record);
      measureRequest(record);
    },
  });
  stack.use(app.connections);
  stack.defer(() => app.fastify.close());
  return app;
}

/** A body that the bus would not carry must be refused at the door, not lost on the way. */
function requireRoomForBodies(bus: Bus, settings: GatewaySettings): void {
  const needed = settings.BODY_LIMIT_BYTES + JOB_OVERHEAD_BYTES;
  if (bus.maxPayload >= needed) return;
  throw new ConfigurationError(
    `BODY_LIMIT_BYTES needs messages of ${needed} bytes, but the NATS server takes ${bus.maxPayload}: ` +
      'raise its max_payload or lower BODY_LIMIT_BYTES',
  );
}
