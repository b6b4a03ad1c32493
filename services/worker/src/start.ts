import {
  busAccess,
  connectBus,
  type Bus,
  openOutcomeLedger,
  type OutcomeLedger,
} from '@sluice/bus';
import {
  CONTRACT_VERSION,
  mintProcessId,
  subjectsUnder,
  workerName,
  type Heartbeat,
  type AttemptRecord,
} from '@sluice/contracts';
import { QUICK_DRAIN_MS, type Readiness, type RunningService } from '@sluice/host';
import { observe, type Logger } from '@sluice/telemetry';
import { atMost, checkRegularly } from '@sluice/timing';
import packageJson from '../package.json' with { type: 'json' };
import { GatewayWatch } from './bus/gateway-watch.ts';
import { HeartbeatSender } from './bus/heartbeat.ts';
import { Leases } from './bus/leases.ts';
import { Outbox } from './bus/outbox.ts';
import { serveJobs } from './bus/serve-jobs.ts';
import type { WorkerSettings } from './config.ts';
import { measureAttempt } from './domain/attempt-metrics.ts';
import { attemptRecord } from './domain/attempt-record.ts';
import { ForeignLoad } from './domain/foreign-load.ts';
import { JobDesk } from './domain/job-desk.ts';
import { SchemaChecker } from './guarantees/schema-checker.ts';
import { attemptRunner } from './run/attempt-runner.ts';
import { RuntimeClient } from './runtime/runtime-client.ts';
import { RuntimeDoubt } from './runtime/runtime-doubt.ts';
import { RuntimeWatch } from './runtime/runtime-watch.ts';
import { RequestTranslator } from './translation/request-translator.ts';

const SWEEP_INTERVAL_MS = 100;
const DEFAULT_SLOTS = 64;
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
  const outbox = new Outbox(bus);
  const leases = new Leases();
  const foreign = new ForeignLoad();
  const slots = () => slotsOf(settings, watch.state.slots, foreign);
  const serves = (model: string) => watch.state.models.includes(model);
  const watch = starting.use(
    new RuntimeWatch({
      client,
      kind: settings.RUNTIME_KIND,
      logger: log,
      // Both come when the runtime has answered, or has not: by then there are a desk and a heartbeat.
      onChange: () => {
        if (watch.up) {
          // Before they get a slot, only to be told by the runtime that it has no such model.
          desk.handBackQueue('unknown_model', ({ header }) => !serves(header.runtime_model));
          desk.fillSlots();
        } else desk.handBackQueue('runtime_down');
        heartbeat.announce();
      },
      onLook: () => {
        const before = slots();
        foreign.look(watch.state.load, desk.takeRunningPeak());
        if (slots() === before) return;
        desk.fillSlots();
        heartbeat.announce();
      },
    }),
  );
  const doubt = starting.use(
    new RuntimeDoubt({
      ask: () => watch.answers(),
      isDown: () => !watch.up,
      onSilence: () => watch.probe(),
      onOver: () => desk.fillSlots(),
    }),
  );
  const run = attemptRunner({
    runtime: client,
    dialect: () => watch.state.dialect,
    translator,
    schemas,
    sharedCache: settings.SHARED_PREFIX_CACHE,
    maxPayload: () => bus.maxPayload,
    now,
    logger: log,
    onTrouble: ({ status }) => {
      if (status === undefined) doubt.noteBrokenConnection();
      else watch.probe();
    },
  });
  const desk = new JobDesk({
    slots,
    // Else each job that waits would meet a runtime that has just ended, one after the other, and fail.
    startsNothing: () => doubt.exists,
    queueLimit: settings.QUEUE_LIMIT,
    stall: {
      firstWordMs: settings.FIRST_WORD_TIMEOUT_MS,
      firstWordWhileDownMs: FIRST_WORD_WHILE_DOWN_MS,
      betweenWordsMs: settings.STALL_TIMEOUT_MS,
    },
    now,
    downSince: () => watch.downSince,
    logger: log,
    onEnd: (attempt, end) => {
      const record = attemptRecord(attempt, end, { worker: id, now: now(), wallNow: Date.now() });
      ledger.record(record);
      measureAttempt(record, { gotSlot: attempt.startedAt !== undefined });
    },
    run,
  });
  starting.use(
    serveJobs({
      bus,
      subjects,
      worker: id,
      desk,
      leases,
      outbox,
      serves,
      now,
      logger: log,
    }),
  );
  const identity = { worker: id, pool };
  const heartbeat = starting.use(
    new HeartbeatSender({
      bus,
      subject: subjects.fleet(pool),
      describe: () => ({ ...identity, ...describeForGateways(watch, desk) }),
    }),
  );
  starting.use(new GatewayWatch({ bus, subjects, leases, desk, now }));
  starting.use(checkRegularly(() => desk.sweep(), { everyMs: SWEEP_INTERVAL_MS, clock: now }));
  let limitMs = settings.DRAIN_TIMEOUT_MS;
  starting.defer(() => drain({ desk, heartbeat, outbox, limitMs }));
  const parts = { bus, ledger, watch, desk, foreign };
  observeParts(parts);
  const running = starting.move();
  return {
    id,
    holdings: () => desk.holdings,
    readiness: () => ({
      ready: bus.connected && watch.up && !desk.draining,
      details: { ...identity, ...describeForPeople(parts) },
    }),
    shortenDrain: () => {
      limitMs = Math.min(limitMs, QUICK_DRAIN_MS);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** How many jobs may be on the runtime at once: never none. */
function slotsOf(
  { SLOTS, RUNTIME_SHARED }: WorkerSettings,
  runtimeSlots: number | undefined,
  foreign: ForeignLoad,
): number {
  const own = SLOTS ?? Math.min(runtimeSlots ?? DEFAULT_SLOTS, DEFAULT_SLOTS);
  return RUNTIME_SHARED ? Math.max(1, own - foreign.generations) : own;
}

function describeForGateways(
  { state }: RuntimeWatch,
  desk: JobDesk,
): Omit<Heartbeat, 'worker' | 'pool'> {
  return {
    contract: CONTRACT_VERSION,
    version: packageJson.version,
    models: [...state.models],
    draining: desk.draining,
    load: desk.load,
    service_ms: desk.serviceMs,
    generated_tokens: desk.generatedTokens,
    runtime_load: state.load ?? null,
  };
}

interface ShownParts {
  readonly bus: Bus;
  readonly ledger: OutcomeLedger<AttemptRecord>;
  readonly watch: RuntimeWatch;
  readonly desk: JobDesk;
  readonly foreign: ForeignLoad;
}

function observeParts({ watch, desk }: ShownParts): void {
  observe('sluice.worker.slots', () => desk.load.slots);
  observe('sluice.worker.running', () => desk.load.running);
  observe('sluice.worker.queued', () => desk.load.queued);
  observe('sluice.worker.generated_tokens', () => desk.generatedTokens);
  observe('sluice.runtime.up', () => (watch.up ? 1 : 0));
  observe('sluice.runtime.running', () => watch.state.load?.running);
  observe('sluice.runtime.waiting', () => watch.state.load?.waiting);
  observe('sluice.runtime.cache_use', () => watch.state.load?.cache_use ?? undefined);
}

function describeForPeople({
  bus,
  ledger,
  watch,
  desk,
  foreign,
}: ShownParts): Readiness['details'] {
  return {
    foreignGenerations: foreign.generations,
    bus: bus.connected ? 'connected' : 'disconnected',
    runtime: watch.up ? watch.state.dialect.kind : 'down',
    models: watch.state.models,
    draining: desk.draining,
    load: desk.load,
    runtimeLoad: watch.state.load,
    holdings: desk.holdings,
    remembered: desk.remembered,
    subscriptions: bus.subscriptionCount,
    ledger: ledger.counts,
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
