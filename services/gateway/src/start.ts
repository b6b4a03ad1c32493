import { busAccess, connectBus, type Bus } from '@sluice/bus';
import { mintProcessId, subjectsUnder, type Subjects } from '@sluice/contracts';
import { ConfigurationError, QUICK_DRAIN_MS, type RunningService } from '@sluice/host';
import { connectCatalog, connectQuota, rpcClientTls } from '@sluice/rpc';
import { observe, type Logger } from '@sluice/telemetry';
import { atMost } from '@sluice/timing';
import { announceLease } from './bus/announce-lease.ts';
import { AttemptTable } from './bus/attempt-table.ts';
import { BusCarrier } from './bus/bus-carrier.ts';
import { Cancellations } from './bus/cancellations.ts';
import { EndedWorkers } from './bus/ended-workers.ts';
import { followCatalog } from './bus/follow-catalog.ts';
import { followFleet } from './bus/follow-fleet.ts';
import { openRequestLedger } from './bus/request-ledger.ts';
import type { GatewaySettings } from './config.ts';
import { CatalogDirectory } from './domain/catalog-directory.ts';
import { Dispatcher } from './domain/dispatch-job.ts';
import { Drain } from './domain/drain.ts';
import { FleetTable } from './domain/fleet-table.ts';
import { NeighbourWatch } from './domain/neighbour-watch.ts';
import { warmUpExamination } from './domain/warm-up-examination.ts';
import { assembleApp } from './http/assemble-app.ts';
import { measureRequest } from './http/request-metrics.ts';
import { requestRecord } from './http/request-record.ts';
import { stopServing } from './http/stop-serving.ts';
import { StreamKeeper } from './http/stream-keeper.ts';
import { grpcCatalogReader } from './rpc/grpc-catalog-reader.ts';

export interface RunningGateway extends RunningService {
  readonly url: string;
}

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
  const subjects = subjectsUnder(settings.SUBJECT_PREFIX);
  const bus = starting.use(
    await connectBus({
      ...busAccess(settings),
      name: `gateway ${gateway}`,
      inbox: subjects.inbox('gateway'),
      logger,
    }),
  );
  requireRoomForBodies(bus, settings);
  const ledger = starting.use(openRequestLedger({ bus, subjects }));
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
  const app = assembleApp({
    settings,
    logger,
    directory,
    limiter: quota,
    dispatcher,
    drain,
    keeper,
    clock,
    wallClock,
    onOutcome: (exchange) => {
      const record = requestRecord(exchange, { gateway, now: clock(), wallNow: wallClock() });
      ledger.record(record);
      measureRequest(record);
    },
    stack: starting,
  });
  observe('sluice.gateway.open_connections', () => app.connections.connectionCount);
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
  let announceMs = settings.DRAIN_ANNOUNCE_MS;
  let limitMs = settings.DRAIN_LIMIT_MS;
  starting.defer(() => stopServing(app, drain, { announceMs, limitMs }));
  const running = starting.move();
  return {
    url,
    readiness: () => {
      const { ready, details } = neighbours.readiness(drain.phase);
      return { ready, details: { ...details, ...underWay() } };
    },
    shortenDrain: () => {
      announceMs = 0;
      limitMs = Math.min(limitMs, QUICK_DRAIN_MS);
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
  const cancellations = stack.use(new Cancellations({ bus, subjects, logger, clock }));
  // Those who still run are told to stop before the connection goes.
  stack.defer(() => atMost(LAST_CANCELS_MS, cancellations.settled()));
  const attempts = stack.use(new AttemptTable({ bus, subjects, gateway, cancellations, clock }));
  stack.use(new EndedWorkers({ bus, subjects, fleet, attempts }));
  const carrier = stack.use(new BusCarrier({ bus, subjects, gateway, attempts, clock }));
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

/** A body that the bus would not carry must be refused at the door, not lost on the way. */
function requireRoomForBodies(bus: Bus, settings: GatewaySettings): void {
  const needed = settings.BODY_LIMIT_BYTES + JOB_OVERHEAD_BYTES;
  if (bus.maxPayload >= needed) return;
  throw new ConfigurationError(
    `BODY_LIMIT_BYTES needs messages of ${needed} bytes, but the NATS server takes ${bus.maxPayload}: ` +
      'raise its max_payload or lower BODY_LIMIT_BYTES',
  );
}
