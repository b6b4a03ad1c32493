import { lookup } from 'node:dns/promises';
import { busAccess, connectBus, type Bus } from '@sluice/bus';
import { mintProcessId, subjectsUnder, type Subjects } from '@sluice/contracts';
import { connectCatalog, connectQuota, rpcClientTls } from '@sluice/rpc';
import {
  ConfigurationError,
  QUICK_DRAIN_MS,
  type RunningService,
  observe,
  type Logger,
  withTimeout,
} from '@sluice/service';
import { CatalogDirectory } from './access/catalog-directory.ts';
import { grpcCatalogReader } from './access/catalog-reader.ts';
import { followCatalog } from './access/follow-catalog.ts';
import type { GatewaySettings } from './config.ts';
import { AttemptSender } from './dispatch/attempt-sender.ts';
import { AttemptTable } from './dispatch/attempt-table.ts';
import { Cancellations } from './dispatch/cancellations.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { observePoolDemand, PoolDemand } from './dispatch/pool-demand.ts';
import { WakeQueue } from './dispatch/wake-queue.ts';
import { announceLease, WorkerLiveness } from './dispatch/worker-liveness.ts';
import { Drain } from './edge/drain.ts';
import { stopServing } from './edge/stop-serving.ts';
import { FleetTable } from './fleet/fleet-table.ts';
import { followFleet } from './fleet/follow-fleet.ts';
import { poolsOf } from './fleet/order-targets.ts';
import { Readiness } from './readiness.ts';
import { openRequestLedger } from './record/request-ledger.ts';
import { KeepaliveTimer } from './reply/event-stream.ts';
import { warmUpExamination } from './request/warm-up.ts';
import { assembleApp } from './routes/assemble.ts';

export interface RunningGateway extends RunningService {
  readonly url: string;
}

/** Upper bound for the bytes that a job message has besides the client's body. */
const JOB_OVERHEAD_BYTES = 8_192;
/** How long workers have during a shutdown to acknowledge the last cancels. */
const LAST_CANCELS_MS = 2_000;

/** Monotonic, in milliseconds: for durations and deadlines. */
const clock = () => performance.now();
/** Unix time in milliseconds: for dates. */
const wallClock = () => Date.now();

/** Wires the gateway and starts listening. */
export async function start(settings: GatewaySettings, logger: Logger): Promise<RunningGateway> {
  const gateway = mintProcessId();
  const tls = rpcClientTls(settings);
  // If a step fails, the parts that were created before it are disposed.
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
  const fleet = new FleetTable(clock);
  starting.use(followFleet({ bus, subjects, fleet, logger }));
  const wakes = new WakeQueue({
    fleet,
    clock,
    maxRequests: settings.WAKE_QUEUE_REQUESTS,
    maxBytes: settings.WAKE_QUEUE_BYTES,
  });
  const demand = new PoolDemand({ fleet, wakes, clock });
  const directory = new CatalogDirectory({
    reader: grpcCatalogReader(catalog),
    freshMs: settings.CATALOG_CACHE_MS,
    staleMs: settings.CATALOG_STALE_MS,
    maximumEntries: settings.CATALOG_CACHE_ENTRIES,
    clock,
    wallClock,
    onModels: (models) => demand.notePools(models.flatMap(poolsOf)),
  });
  starting.use(followCatalog({ bus, subjects, directory, logger }));
  const { dispatcher, sender, attempts, cancellations } = startDispatch({
    settings,
    logger,
    bus,
    subjects,
    gateway,
    fleet,
    wakes,
    demand,
    stack: starting,
  });
  const drain = new Drain();
  const keepaliveTimer = starting.use(new KeepaliveTimer(clock));
  const app = assembleApp({
    settings,
    logger,
    directory,
    limiter: quota,
    dispatcher,
    drain,
    keepaliveTimer,
    clock,
    wallClock,
    gateway,
    ledger,
    stack: starting,
  });
  observe('sluice.gateway.open_connections', () => app.openRequests.connectionCount);
  observe('sluice.gateway.open_requests', () => app.openRequests.requestCount);
  observe('sluice.gateway.open_streams', () => keepaliveTimer.size);
  observe('sluice.gateway.running_jobs', () => dispatcher.running);
  observe('sluice.gateway.workers', () => fleet.size);
  observePoolDemand(demand);
  /** State that requests leave behind. All `holdings` are 0 once no request is open. */
  const inFlight = () => ({
    holdings: {
      exchanges: app.openRequests.requestCount,
      streams: keepaliveTimer.size,
      jobs: dispatcher.running,
      attempts: attempts.size,
      cancels: cancellations.size,
      waits: fleet.waiterCount,
      wakes: wakes.size,
    },
    remembered: { attempts: attempts.recentlyAbortedCount },
    subscriptions: bus.subscriptionCount,
  });
  const readiness = new Readiness({ bus, quota, catalog, fleet, sender, ledger });
  warmUpExamination();
  // The name is resolved here. For `localhost`, Fastify would open another server for each further address, and that
  // server would lack our listeners: https://fastify.dev/docs/latest/Reference/Server/#listen
  const { address: host } = await lookup(settings.HOST);
  const url = await app.fastify.listen({ host, port: settings.PORT });
  logger.info({ url, gateway }, 'listening');
  let announceMs = settings.DRAIN_ANNOUNCE_MS;
  let limitMs = settings.DRAIN_LIMIT_MS;
  starting.defer(() => stopServing(app, drain, { announceMs, limitMs }));
  const running = starting.move();
  return {
    url,
    readiness: () => {
      const { ready, details } = readiness.check(drain.phase);
      return { ready, details: { ...details, ...inFlight() } };
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
  readonly wakes: WakeQueue;
  readonly demand: PoolDemand;
  readonly stack: AsyncDisposableStack;
}

function startDispatch({ settings, logger, bus, subjects, stack, ...parts }: DispatchParts) {
  const { gateway, fleet } = parts;
  const nameOf = (worker: string) => fleet.nameOf(worker);
  const cancellations = stack.use(new Cancellations({ bus, subjects, nameOf, logger, clock }));
  // Disposal runs in reverse order: the attempt table cancels its attempts, then workers have time to acknowledge this.
  stack.defer(() => withTimeout(LAST_CANCELS_MS, cancellations.settled()));
  const attempts = stack.use(new AttemptTable({ bus, subjects, gateway, cancellations, clock }));
  stack.use(new WorkerLiveness({ bus, subjects, fleet, attempts }));
  const sender = stack.use(new AttemptSender({ bus, subjects, gateway, attempts, clock }));
  const dispatcher = new Dispatcher({
    ...parts,
    sender,
    clock,
    random: Math.random,
    queueMs: settings.QUEUE_TIMEOUT_MS,
    runMs: settings.RUN_TIMEOUT_MS,
  });
  stack.use(announceLease({ bus, subjects, gateway }));
  return { dispatcher, sender, attempts, cancellations };
}

/** Throws unless the largest accepted body fits into one message of the bus. */
function requireRoomForBodies(bus: Bus, settings: GatewaySettings): void {
  const needed = settings.BODY_LIMIT_BYTES + JOB_OVERHEAD_BYTES;
  if (bus.maxPayload >= needed) return;
  throw new ConfigurationError(
    `BODY_LIMIT_BYTES needs messages of ${needed} bytes, but the NATS server accepts at most ${bus.maxPayload}: ` +
      'raise its max_payload or lower BODY_LIMIT_BYTES',
  );
}
