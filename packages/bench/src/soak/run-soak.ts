import { setTimeout as delay } from 'node:timers/promises';
import { PauseWitness, type Pauses } from '@sluice/machine';
import { connectCatalogAdmin } from '@sluice/rpc';
import { INSPECTABLE } from '../measure/collect-garbage.ts';
import { startStack, type SluiceStack } from '../programs/sluice-stack.ts';
import { Crowd } from './crowd.ts';
import type { Exchange } from './exchange.ts';
import { FaultLog } from './fault-log.ts';
import { FaultQueue, inflictFaults, plannableFaults } from './faults.ts';
import { ForeignLoad } from './foreign-load.ts';
import { judgeLedger, type LedgerFinding } from './judge-ledger.ts';
import { ProcessWatch } from './process-watch.ts';
import { awaitQuiet, type Gauges } from './quiet-moment.ts';
import { Random } from './random.ts';
import { readLedger } from './read-ledger.ts';
import { unaskedEnds } from './unasked-ends.ts';
import { askGreedily } from './users.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly users: number;
  readonly faults: boolean;
  readonly say: (line: string) => void;
  readonly cleanUp: AsyncDisposableStack;
}

/** Everything that was seen, before it is judged. */
export interface SoakRecord {
  readonly seconds: number;
  readonly crowd: Crowd;
  readonly faults: FaultLog;
  /** When the machine itself stood still. */
  readonly pauses: Pauses;
  readonly foreign: ForeignLoad;
  readonly watch: ProcessWatch;
  readonly lastGreedy: Exchange;
  /** Midnight in UTC passed, so that the day's counts began anew. */
  readonly crossedMidnight: boolean;
  /** Those that were started again although nothing was done to them. */
  readonly unaskedEnds: readonly string[];
  /** What was still under way at quiet moments; empty when nothing was. */
  readonly left: Gauges;
  /** What the outcome ledger says, held against what clients saw. */
  readonly ledger: readonly LedgerFinding[];
  /** From when on memory is judged. */
  readonly settledAt: number;
  readonly calmShare: number;
}

const GATEWAYS = 2;
const WORKERS = 2;
/** Between the end of a fault and the next one: time in which nothing is excused. */
const CALM_MS = 7_000;
const LEAST_CALM_MS = 4_000;
/** The last fault must be over before the load is. */
const LAST_FAULT_MS = 10_000;
const TELL_EVERY_MS = 30_000;
/** Connections that were kept close by themselves after this long. */
const LINGER_MS = 12_000;
const DAY_MS = 86_400_000;
/** Memory is looked at between stretches of about this length; so many give a slope that means something. */
const STRETCH_MS = 75_000;
const STRETCHES = { least: 6, most: 12 } as const;
/** Of the second half, for heaps and pools to reach their size. */
const SETTLING_SHARE = 0.2;

/**
 * Half of the time every process is killed, restarted and frozen. In the other half nothing is killed, so
 * that processes grow old enough for leaks to show, and now and then everybody pauses for a look at what
 * they hold. At every pause everything must come to rest.
 */
export async function runSoak(options: SoakOptions): Promise<SoakRecord> {
  const { say } = options;
  const soak = await setUp(options);
  const { stack, gateways, crowd, log, watch, left } = soak;
  const startedAt = performance.now();
  const day = today();
  const halfMs = (options.minutes * 60_000) / 2;
  options.cleanUp.use(tellProgress(crowd, log, { startedAt, say }));

  await loadFor(halfMs, await faultQueue(soak, { deadly: true }), soak);
  await countDescriptors(soak);
  const secondStart = performance.now();
  await growOld(halfMs, soak);
  const secondEnd = performance.now();
  await countDescriptors(soak);
  const lastGreedy = await askGreedilyAtLast(soak);
  say('reading the ledger …');
  const recorded = await readLedger(stack.natsUrl, crowd.organizations);
  const endedAt = performance.now();
  return {
    seconds: (endedAt - startedAt) / 1_000,
    crowd,
    faults: log,
    pauses: soak.witness.look(),
    foreign: soak.foreign,
    watch,
    lastGreedy,
    crossedMidnight: today() !== day,
    unaskedEnds: unaskedEnds(await stack.processes(), log.faults),
    left,
    ledger: judgeLedger({
      book: crowd.tally.book,
      recorded,
      faults: log,
      nameOf: (origin) => gateways.get(origin) ?? origin,
    }),
    settledAt: secondStart + (secondEnd - secondStart) * SETTLING_SHARE,
    calmShare: log.calmMs(startedAt, endedAt) / (endedAt - startedAt),
  };
}

/** All that takes part, and what is written down of it. */
interface Soak {
  readonly stack: SluiceStack;
  /** Their names, by where they are reached. */
  readonly gateways: ReadonlyMap<string, string>;
  readonly apiRoots: readonly string[];
  readonly crowd: Crowd;
  /** Whether there are any. */
  readonly faults: boolean;
  readonly log: FaultLog;
  readonly watch: ProcessWatch;
  readonly witness: PauseWitness;
  readonly foreign: ForeignLoad;
  /** What was still under way at quiet moments. */
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
    crowd: await Crowd.gather({ admin, apiRoots, random, users }),
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

/** Everybody asks, and faults are inflicted; then all comes to rest. */
async function loadFor(
  ms: number,
  queue: FaultQueue,
  { stack, crowd, log, left, say }: Soak,
): Promise<void> {
  const until = performance.now() + ms;
  const stop = crowd.start();
  await inflictFaults({
    queue,
    log,
    until: until - LAST_FAULT_MS,
    pauseMs: Math.max(LEAST_CALM_MS, Math.min(CALM_MS, ms / 6)),
    say,
  });
  await delay(Math.max(0, until - performance.now()));
  await stop();
  Object.assign(left, await awaitQuiet(stack));
}

/** Nothing is killed, and what every process holds is looked at between stretches of load. */
async function growOld(ms: number, soak: Soak): Promise<void> {
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
  say('letting connections close that nobody uses …');
  await delay(LINGER_MS);
  await watch.sampleDescriptors();
}

/** Resolves when the records of it have arrived, too. */
async function askGreedilyAtLast({ stack, apiRoots, crowd, left }: Soak): Promise<Exchange> {
  const { model, tally, tight } = crowd;
  const seen = await askWhenAdmitted(() => askGreedily(apiRoots[0] ?? '', tight, { model, tally }));
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

function tellProgress(
  { tally }: Crowd,
  { faults }: FaultLog,
  { startedAt, say }: { startedAt: number; say: (line: string) => void },
): Disposable {
  const timer = setInterval(() => {
    const passed = Math.round((performance.now() - startedAt) / 1_000);
    say(
      `${passed} s: ${tally.issued} requests, ${tally.disturbances.length} disturbed, ${tally.wrongs.length} wrong, ${faults.length} faults`,
    );
  }, TELL_EVERY_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The bucket may still be empty from before; it fills by itself. */
async function askWhenAdmitted(ask: () => Promise<Exchange>): Promise<Exchange> {
  for (let attempt = 1; ; attempt += 1) {
    const seen = await ask();
    if (seen.status === 200 || attempt === 100) return seen;
    await delay(500);
  }
}

async function gatewaysOf(stack: SluiceStack): Promise<Map<string, string>> {
  const gateways = (await stack.processes()).filter(({ name }) => name.startsWith('gateway'));
  return new Map(gateways.map(({ name, url }) => [new URL(url).origin, name]));
}

function today(): number {
  return Math.floor(Date.now() / DAY_MS);
}
