import { busAccess, connectBus, openOutcomeLedger } from '@sluice/bus';
import { mintProcessId, subjectsUnder, workerName, type AttemptRecord } from '@sluice/contracts';
import { QUICK_DRAIN_MS, type RunningService } from '@sluice/host';
import type { Logger } from '@sluice/telemetry';
import { atMost, checkRegularly } from '@sluice/timing';
import { GatewayWatch } from './bus/gateway-watch.ts';
import { HeartbeatSender } from './bus/heartbeat.ts';
import { Leases } from './bus/leases.ts';
import { Outbox } from './bus/outbox.ts';
import { serveJobs } from './bus/serve-jobs.ts';
import type { WorkerSettings } from './config.ts';
import { measureAttempt } from './domain/attempt-metrics.ts';
import { attemptRecord } from './domain/attempt-record.ts';
import { JobDesk } from './domain/job-desk.ts';
import { DEFAULT_SLOTS, Slots } from './domain/slots.ts';
import { SchemaChecker } from './guarantees/schema-checker.ts';
import { observeWorker, readinessOf } from './readiness.ts';
import { attemptRunner } from './run/attempt-runner.ts';
import { RuntimeClient } from './runtime/runtime-client.ts';
import { RuntimeSupervisor } from './runtime/runtime-supervisor.ts';
import { RequestTranslator } from './translation/request-translator.ts';

const SWEEP_INTERVAL_MS = 100;
/** For probes and counts beside the generations. */
const SPARE_CONNECTIONS = 8;
/** From when a runtime has answered no probes, it is given no more than this for its first word. */
const FIRST_WORD_WHILE_DOWN_MS = 10_000;

const now = () => performance.now();

export interface RunningWorker extends RunningService {
  readonly id: string;
  /** What it holds at this moment; all zero when nothing is under way. */
  holdings(): Readonly<Record<string, number>>;
}

/** Wires the parts in the order in which they depend on each other; the runtime is asked last, once all are there. */
export async function start(settings: WorkerSettings, logger: Logger): Promise<RunningWorker> {
  const { POOL: pool } = settings;
  const id = workerName(pool, mintProcessId());
  const log = logger.child({ worker: id });
  const subjects = subjectsUnder(settings.SUBJECT_PREFIX);
  // Given back in the opposite order, when it stops or cannot start.
  await using starting = new AsyncDisposableStack();
  const schemas = starting.use(new SchemaChecker({ logger: log }));
  const translator = starting.use(new RequestTranslator({ logger: log }));
  const client = starting.use(
    new RuntimeClient({
      url: settings.RUNTIME_URL,
      apiKey: settings.RUNTIME_API_KEY,
      connections: (settings.SLOTS ?? DEFAULT_SLOTS) + SPARE_CONNECTIONS,
    }),
  );
  const bus = starting.use(
    await connectBus({
      ...busAccess(settings),
      name: `worker ${id}`,
      inbox: subjects.inbox(`worker.${pool}`),
      logger: log,
    }),
  );
  const ledger = starting.use(openOutcomeLedger<AttemptRecord>({ bus, place: subjects.outcomes }));
  const slots = new Slots({
    setting: settings.SLOTS,
    shared: settings.RUNTIME_SHARED,
    canWait: settings.QUEUE_LIMIT > 0,
  });
  const supervisor = starting.use(
    new RuntimeSupervisor({ client, kind: settings.RUNTIME_KIND, slots, logger: log }),
  );
  const desk = new JobDesk({
    slots,
    queueLimit: settings.QUEUE_LIMIT,
    stall: {
      firstWordMs: settings.FIRST_WORD_TIMEOUT_MS,
      firstWordWhileDownMs: FIRST_WORD_WHILE_DOWN_MS,
      betweenWordsMs: settings.STALL_TIMEOUT_MS,
    },
    now,
    downSince: () => supervisor.downSince,
    logger: log,
    onEnd: (attempt, end) => {
      const record = attemptRecord(attempt, end, { worker: id, now: now(), wallNow: Date.now() });
      ledger.record(record);
      measureAttempt(record, { gotSlot: attempt.startedAt !== undefined });
    },
    run: attemptRunner({
      runtime: client,
      dialect: () => supervisor.state.dialect,
      translator,
      schemas,
      sharedCache: settings.SHARED_PREFIX_CACHE,
      maxPayload: () => bus.maxPayload,
      now,
      logger: log,
      onFailure: (failure) => supervisor.report(failure),
    }),
  });
  const outbox = new Outbox(bus);
  const leases = new Leases();
  const serves = (model: string) => supervisor.serves(model);
  starting.use(
    serveJobs({ bus, subjects, worker: id, desk, leases, outbox, serves, now, logger: log }),
  );
  const identity = { worker: id, pool };
  const heartbeat = starting.use(
    new HeartbeatSender({ bus, subject: subjects.fleet(pool), identity, supervisor, desk }),
  );
  starting.use(new GatewayWatch({ bus, subjects, leases, desk, now }));
  starting.use(checkRegularly(() => desk.sweep(), { everyMs: SWEEP_INTERVAL_MS, clock: now }));
  let limitMs = settings.DRAIN_TIMEOUT_MS;
  starting.defer(() => drain({ desk, heartbeat, outbox, limitMs }));
  const parts = { bus, ledger, supervisor, slots, desk };
  observeWorker(parts);
  supervisor.start(() => {
    desk.runtimeChanged(supervisor);
    heartbeat.announce();
  });
  const running = starting.move();
  return {
    id,
    holdings: () => desk.holdings,
    readiness: () => readinessOf(identity, parts),
    shortenDrain: () => {
      limitMs = Math.min(limitMs, QUICK_DRAIN_MS);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface DrainedParts {
  readonly desk: JobDesk;
  readonly heartbeat: HeartbeatSender;
  readonly outbox: Outbox;
  readonly limitMs: number;
}

/** Gateways are told first, so that nothing new comes while what runs comes to its end. */
async function drain({ desk, heartbeat, outbox, limitMs }: DrainedParts): Promise<void> {
  desk.startDraining();
  heartbeat.announce();
  await atMost(limitMs, desk.whenIdle());
  desk.failRest();
  await desk.whenIdle();
  // The last frames may wait for their turn, and nobody would send them any more.
  outbox.flush();
}
