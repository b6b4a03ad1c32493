import { setTimeout as delay } from 'node:timers/promises';
import { PauseWitness, type Pauses } from '@sluice/devkit/pauses';
import { connectCatalogAdmin } from '@sluice/rpc';
import { INSPECTABLE } from '../measure/collect-garbage.ts';
import { startStack, type SluiceStack } from '../programs/sluice-stack.ts';
import type { Exchange } from './exchange.ts';
import { FaultLog } from './fault-log.ts';
import { FaultQueue, inflictFaults, plannableFaults } from './faults.ts';
import { ForeignLoad } from './foreign-load.ts';
import { judgeLedger, type LedgerFinding } from './judge-ledger.ts';
import { ProcessWatch } from './process-watch.ts';
import { awaitQuiet, type Gauges } from './quiet-moment.ts';
import { Random } from './random.ts';
import { readLedger } from './read-ledger.ts';
import { SoakClients } from './soak-clients.ts';
import { unexpectedEnds } from './unexpected-ends.ts';
import { sendGreedyRequest } from './users.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly users: number;
  readonly faults: boolean;
  readonly say: (line: string) => void;
  readonly cleanUp: AsyncDisposableStack;
}

/** All observations of a run, before they are judged. */
export interface SoakRecord {
  readonly seconds: number;
  readonly clients: SoakClients;
  readonly faults: FaultLog;
  /** When the machine itself was paused. */
  readonly pauses: Pauses;
  readonly foreign: ForeignLoad;
  readonly watch: ProcessWatch;
  readonly lastGreedy: Exchange;
  /** Whether midnight UTC passed, so that the counts of the day started again. */
  readonly crossedMidnight: boolean;
  /** Processes that were restarted although no fault affected them. */
  readonly unexpectedEnds: readonly string[];
  /** Gauges that were not zero at quiet moments. */
  readonly left: Gauges;
  /** Findings from the comparison of the ledger with the replies of clients. */
  readonly ledger: readonly LedgerFinding[];
  /** The time from which memory is judged. */
  readonly settledAt: number;
  readonly faultFreeShare: number;
}

const GATEWAYS = 2;
const WORKERS = 2;
/** Time between two faults. Failures in this time are not excused. */
const PAUSE_MS = 7_000;
const MIN_PAUSE_MS = 4_000;
/** The last fault must be over this long before the load ends. */
const LAST_FAULT_MS = 10_000;
const PROGRESS_INTERVAL_MS = 30_000;
/** Idle keep-alive connections close within this time. */
const IDLE_CLOSE_MS = 12_000;
/** How often, and with which pause, the last greedy request is repeated while it is refused. */
const LAST_REQUEST_ATTEMPTS = 100;
const LAST_REQUEST_RETRY_MS = 500;
const DAY_MS = 86_400_000;
/**
 * Load between two memory readings lasts about this long. The number of readings is bounded, so that the slope is
 * reliable.
 */
const STRETCH_MS = 75_000;
const STRETCHES = { least: 6, most: 12 } as const;
/** Share of the second half in which heaps and pools may still grow to their normal size. */
const SETTLING_SHARE = 0.2;

/**
 * In the first half every process is killed, restarted and frozen. In the second half no process is killed, so that
 * leaks have time to show. The load then pauses now and then to measure memory. At every pause the whole stack must
 * become idle.
 */
export async function runSoak(options: SoakOptions): Promise<SoakRecord> {
  const { say } = options;
  const soak = await setUp(options);
  const { stack, gateways, clients, log, watch, left } = soak;
  const startedAt = performance.now();
  const day = today();
  const halfMs = (options.minutes * 60_000) / 2;
  options.cleanUp.use(reportProgress(clients, log, { startedAt, say }));

  await loadFor(halfMs, await faultQueue(soak, { deadly: true }), soak);
  await countDescriptors(soak);
  const secondStart = performance.now();
  await measureMemoryGrowth(halfMs, soak);
  const secondEnd = performance.now();
  await countDescriptors(soak);
  const lastGreedy = await sendLastGreedyRequest(soak);
  say('reading the ledger …');
  const recorded = await readLedger(stack.natsUrl, clients.organizations);
  const endedAt = performance.now();
  return {
    seconds: (endedAt - startedAt) / 1_000,
    clients,
    faults: log,
    pauses: soak.witness.look(),
    foreign: soak.foreign,
    watch,
    lastGreedy,
    crossedMidnight: today() !== day,
    unexpectedEnds: unexpectedEnds(await stack.processes(), log.faults),
    left,
    ledger: judgeLedger({
      seenOutcomes: clients.tally.seenOutcomes,
      recorded,
      faults: log,
      nameOf: (origin) => gateways.get(origin) ?? origin,
    }),
    settledAt: secondStart + (secondEnd - secondStart) * SETTLING_SHARE,
    faultFreeShare: log.faultFreeMs(startedAt, endedAt) / (endedAt - startedAt),
  };
}

/** All parts of a run, and its records. */
interface Soak {
  readonly stack: SluiceStack;
  /** Names of the gateways, by address. */
  readonly gateways: ReadonlyMap<string, string>;
  readonly apiRoots: readonly string[];
  readonly clients: SoakClients;
  /** Whether faults are inflicted. */
  readonly faults: boolean;
  readonly log: FaultLog;
  readonly watch: ProcessWatch;
  readonly witness: PauseWitness;
  readonly foreign: ForeignLoad;
  /** Gauges that were not zero at quiet moments. */
  readonly left: Record<string, number>;
  readonly random: Random;
  readonly say: (line: string) => void;
}

async function setUp({ seed, users, faults, say, cleanUp }: SoakOptions): Promise<Soak> {
  const random = new Random(seed);
  say(`starting ${GATEWAYS} gateways, ${WORKERS} workers and the rest …`);
  const stack = cleanUp.use(await startSoakedStack());
  const admin = cleanUp.use(
    connectCatalogAdmin({ address: stack.adminAddress, token: stack.adminToken }),
  );
  await admin.ready();
  const witness = cleanUp.use(await PauseWitness.start({ noticeSlowness: true }));
  const foreign = cleanUp.use(ForeignLoad.watch(stack));
  const gateways = await gatewaysOf(stack);
  const { pathname } = new URL(stack.apiRoot);
  const apiRoots = [...gateways.keys()].map((origin) => `${origin}${pathname}`);
  return {
    stack,
    gateways,
    apiRoots,
    clients: await SoakClients.create({ admin, apiRoots, random, users }),
    faults,
    log: new FaultLog(),
    watch: new ProcessWatch(stack),
    witness,
    foreign,
    left: {},
    random,
    say,
  };
}

async function faultQueue(
  { stack, faults, random }: Soak,
  { deadly }: { readonly deadly: boolean },
): Promise<FaultQueue> {
  const plans = faults ? await plannableFaults({ stack, random: random.fork() }, { deadly }) : [];
  return new FaultQueue(plans, random.fork());
}

/** Runs load and faults, then waits until the stack is idle. */
async function loadFor(
  ms: number,
  queue: FaultQueue,
  { stack, clients, log, left, say }: Soak,
): Promise<void> {
  const until = performance.now() + ms;
  const stop = clients.start();
  await inflictFaults({
    queue,
    log,
    until: until - LAST_FAULT_MS,
    pauseMs: Math.max(MIN_PAUSE_MS, Math.min(PAUSE_MS, ms / 6)),
    say,
  });
  await delay(Math.max(0, until - performance.now()));
  await stop();
  Object.assign(left, await awaitQuiet(stack));
}

/** Runs load without killing a process, and measures the memory of every process in between. */
async function measureMemoryGrowth(ms: number, soak: Soak): Promise<void> {
  const freezes = await faultQueue(soak, { deadly: false });
  const stretches = Math.max(
    STRETCHES.least,
    Math.min(STRETCHES.most, Math.round(ms / STRETCH_MS)),
  );
  for (let number = 1; number <= stretches; number += 1) {
    await loadFor(ms / stretches, freezes, soak);
    soak.say(`looking at what every process holds (${number}/${stretches}) …`);
    await soak.watch.sample();
  }
}

async function countDescriptors({ watch, say }: Soak): Promise<void> {
  say('waiting until idle connections close …');
  await delay(IDLE_CLOSE_MS);
  await watch.sampleDescriptors();
}

/** Resolves when the records of the request have arrived too. */
async function sendLastGreedyRequest({ stack, apiRoots, clients, left }: Soak): Promise<Exchange> {
  const { model, tally, tight } = clients;
  const seen = await retryUntilAdmitted(() =>
    sendGreedyRequest(apiRoots[0] ?? '', tight, { model, tally }),
  );
  Object.assign(left, await awaitQuiet(stack));
  return seen;
}

async function startSoakedStack(): Promise<SluiceStack> {
  return startStack({
    gateways: GATEWAYS,
    workers: WORKERS,
    environment: {
      ...INSPECTABLE,
      SIMULATOR_TTFT_MS: '20',
      SIMULATOR_ITL_MS: '3',
      LOG_LEVEL: 'warn',
    },
  });
}

function reportProgress(
  { tally }: SoakClients,
  { faults }: FaultLog,
  { startedAt, say }: { startedAt: number; say: (line: string) => void },
): Disposable {
  const timer = setInterval(() => {
    const passed = Math.round((performance.now() - startedAt) / 1_000);
    say(
      `${passed} s: ${tally.issued} requests, ${tally.disturbances.length} disturbed, ${tally.wrongs.length} wrong, ${faults.length} faults`,
    );
  }, PROGRESS_INTERVAL_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Repeats a refused request, because the bucket may still be empty and refills with time. */
async function retryUntilAdmitted(send: () => Promise<Exchange>): Promise<Exchange> {
  for (let attempt = 1; ; attempt += 1) {
    const seen = await send();
    if (seen.status === 200 || attempt === LAST_REQUEST_ATTEMPTS) return seen;
    await delay(LAST_REQUEST_RETRY_MS);
  }
}

async function gatewaysOf(stack: SluiceStack): Promise<Map<string, string>> {
  const gateways = (await stack.processes()).filter(({ name }) => name.startsWith('gateway'));
  return new Map(gateways.map(({ name, url }) => [new URL(url).origin, name]));
}

function today(): number {
  return Math.floor(Date.now() / DAY_MS);
}
