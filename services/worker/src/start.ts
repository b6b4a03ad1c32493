import { busAccess, connectBus, openOutcomeLedger } from '@sluice/bus';
import { subjectsUnder, type AttemptRecord } from '@sluice/contracts';
import {
  QUICK_DRAIN_MS,
  type RunningService,
  type Logger,
  everyInterval,
  withTimeout,
} from '@sluice/service';
import { attemptRecord, measureAttempt, tokensOf } from './attempt/attempt-record.ts';
import { followKvEvents } from './cache/follow-kv-events.ts';
import { PromptCache } from './cache/prompt-cache.ts';
import type { WorkerSettings } from './config.ts';
import { identityOf } from './identity.ts';
import { GatewayLiveness, Leases } from './intake/gateway-liveness.ts';
import { HeartbeatSender } from './intake/heartbeat.ts';
import { JobIntake } from './intake/job-intake.ts';
import { serveJobs } from './intake/subscriptions.ts';
import { observeWorker, readinessOf } from './readiness.ts';
import { attemptRunner } from './run/attempt-runner.ts';
import { RuntimeClient } from './runtime/runtime-client.ts';
import { RuntimeSupervisor } from './runtime/runtime-supervisor.ts';
import { DEFAULT_SLOTS, Slots } from './schedule/slots.ts';
import { Outbox } from './stream/outbox.ts';
import { RequestTranslator } from './translation/request-translator.ts';
import { SchemaChecker } from './verify/schema-checker.ts';

const SWEEP_INTERVAL_MS = 100;
/** Connections for probes and token counts while all slots generate. */
const SPARE_CONNECTIONS = 8;
/** Maximum time to the first token while the runtime does not answer probes. */
const FIRST_TOKEN_WHILE_DOWN_MS = 10_000;

const clock = () => performance.now();

export interface RunningWorker extends RunningService {
  readonly id: string;
  /** Current counts of what the worker holds in memory. All are zero while it is idle. */
  holdings(): Readonly<Record<string, number>>;
}

/**
 * Creates and connects all parts. The probes of the runtime start last, because other parts react to what they find.
 */
export async function start(settings: WorkerSettings, logger: Logger): Promise<RunningWorker> {
  const { POOL: pool } = settings;
  const identity = identityOf(settings);
  const { worker: id, worker_name: name } = identity;
  const log = logger.child({ worker: name });
  const subjects = subjectsUnder(settings.SUBJECT_PREFIX);
  // Disposed in reverse order when the worker stops or fails to start.
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
      name: `worker ${pool}/${name}`,
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
  const { RUNTIME_KV_EVENTS: publisher } = settings;
  const cache = new PromptCache({ reports: publisher !== undefined });
  if (publisher !== undefined) starting.use(followKvEvents({ publisher, cache, logger: log }));
  const run = attemptRunner({
    runtime: client,
    dialect: () => supervisor.state.dialect,
    translator,
    schemas,
    sharedCache: settings.SHARED_PREFIX_CACHE,
    priorities: settings.RUNTIME_PRIORITIES,
    maxPayload: () => bus.maxPayload,
    clock,
    logger: log,
    onFailure: (failure) => supervisor.report(failure),
  });
  const intake = new JobIntake({
    slots,
    cache,
    queueLimit: settings.QUEUE_LIMIT,
    leastClassPercent: settings.LOWER_CLASS_PERCENT,
    stall: {
      firstTokenMs: settings.FIRST_WORD_TIMEOUT_MS,
      firstTokenWhileDownMs: FIRST_TOKEN_WHILE_DOWN_MS,
      interTokenMs: settings.STALL_TIMEOUT_MS,
    },
    clock,
    downSince: () => supervisor.downSince,
    logger: log,
    onEnd: (attempt, end) => {
      const record = attemptRecord(attempt, end, { identity, now: clock(), wallNow: Date.now() });
      ledger.record(record);
      if (attempt.startedAt !== undefined) cache.ended(attempt.header, tokensOf(attempt, end));
      measureAttempt(record, { gotSlot: attempt.startedAt !== undefined });
    },
    run: (attempt, charge) => {
      cache.started(attempt.header);
      return run(attempt, charge);
    },
  });
  const outbox = new Outbox(bus);
  const leases = new Leases();
  const serves = (model: string) => supervisor.serves(model);
  starting.use(
    serveJobs({
      bus,
      subjects,
      worker: id,
      intake,
      leases,
      outbox,
      serves,
      orderDrain: (draining) => {
        intake.orderDrain(draining);
        heartbeat.announce();
        log.info(draining ? 'an operator drains the worker' : 'an operator ended the drain');
      },
      clock,
      logger: log,
    }),
  );
  const heartbeat = starting.use(
    new HeartbeatSender({
      bus,
      subject: subjects.fleet(pool),
      identity,
      supervisor,
      intake,
      cache,
    }),
  );
  starting.use(new GatewayLiveness({ bus, subjects, leases, intake, clock }));
  starting.use(everyInterval(() => intake.sweep(), { everyMs: SWEEP_INTERVAL_MS, clock }));
  let limitMs = settings.DRAIN_TIMEOUT_MS;
  starting.defer(() => drain({ intake, heartbeat, outbox, limitMs }));
  const parts = { bus, ledger, supervisor, slots, intake, cache };
  observeWorker(parts);
  log.info(identity, 'worker');
  supervisor.start(() => {
    intake.runtimeChanged(supervisor);
    heartbeat.announce();
  });
  const running = starting.move();
  return {
    id,
    holdings: () => intake.holdings,
    readiness: () => readinessOf(identity, parts),
    shortenDrain: () => {
      limitMs = Math.min(limitMs, QUICK_DRAIN_MS);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface DrainedParts {
  readonly intake: JobIntake;
  readonly heartbeat: HeartbeatSender;
  readonly outbox: Outbox;
  readonly limitMs: number;
}

/** Announces the drain first, so that gateways send no more jobs while the worker waits for the running ones. */
async function drain({ intake, heartbeat, outbox, limitMs }: DrainedParts): Promise<void> {
  intake.stopAccepting();
  heartbeat.announce();
  await withTimeout(limitMs, intake.whenIdle());
  intake.failRemaining();
  await intake.whenIdle();
  // The last frames may still be buffered, and the process is about to end.
  outbox.flush();
}
