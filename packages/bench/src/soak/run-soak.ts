import { setTimeout as delay } from 'node:timers/promises';
import { connectCatalogAdmin } from '@sluice/rpc';
import { INSPECTABLE } from '../measure/collect-garbage.ts';
import { startStack, type SluiceStack } from '../programs/sluice-stack.ts';
import { createTenant, type Tenant } from '../programs/tenant.ts';
import type { Exchange } from './exchange.ts';
import { FaultLog } from './fault-log.ts';
import { inflictFaults, plannableFaults, type FaultPlan } from './faults.ts';
import { LimitModel } from './limit-model.ts';
import { ProcessWatch } from './process-watch.ts';
import { awaitQuiet, type Gauges } from './quiet-moment.ts';
import { Random } from './random.ts';
import { Tally } from './tally.ts';
import {
  TIGHT_LIMITS,
  askGreedily,
  churningUser,
  greedyUser,
  mixedUser,
  type ChurnRecord,
} from './users.ts';

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
  readonly tally: Tally;
  readonly faults: FaultLog;
  readonly watch: ProcessWatch;
  readonly model: LimitModel;
  readonly lastGreedy: Exchange;
  /** Midnight in UTC passed, so that the day's counts began anew. */
  readonly crossedMidnight: boolean;
  readonly churn: readonly ChurnRecord[];
  /** What was still under way at the two quiet moments; empty when nothing was. */
  readonly leftAtHalf: Gauges;
  readonly leftAtEnd: Gauges;
  /** From when on memory is judged. */
  readonly settledAt: number;
  readonly calmShare: number;
}

const GATEWAYS = 2;
const WORKERS = 2;
const GREEDY_USERS = 3;
const CHURNING_USERS = 1;
/** Between the end of a fault and the next one: time in which nothing is excused. */
const CALM_MS = 7_000;
const LEAST_CALM_MS = 4_000;
const TELL_EVERY_MS = 30_000;
/** Connections that were kept close by themselves after this long. */
const LINGER_MS = 12_000;
const DAY_MS = 86_400_000;
/** Only the look at every process's memory. */
const NO_FAULT: FaultPlan = { name: 'no fault', inflict: () => Promise.resolve() };

/**
 * Half of the time every process is killed, restarted and frozen. In the other half nothing is killed, so
 * that processes grow old enough for leaks to show. After each half everything must come to rest.
 */
export async function runSoak(options: SoakOptions): Promise<SoakRecord> {
  const { minutes, seed, users, faults, say, cleanUp } = options;
  const random = new Random(seed);
  say(`starting ${GATEWAYS} gateways, ${WORKERS} workers and the rest …`);
  const stack = cleanUp.use(
    await startStack({
      gateways: GATEWAYS,
      workers: WORKERS,
      environment: {
        ...INSPECTABLE,
        SIMULATOR_TTFT_MS: '20',
        SIMULATOR_ITL_MS: '3',
        LOG_LEVEL: 'warn',
      },
    }),
  );
  const admin = cleanUp.use(
    connectCatalogAdmin({ address: stack.adminAddress, token: stack.adminToken }),
  );
  await admin.ready();
  const ample = [
    await createTenant(admin, 'ample-one'),
    await createTenant(admin, 'ample-two'),
    await createTenant(admin, 'ample-three'),
  ];
  const tight = await createTenant(admin, 'tight', TIGHT_LIMITS);
  const apiRoots = await rootsOf(stack);
  const tally = new Tally();
  const log = new FaultLog();
  const watch = new ProcessWatch(stack);
  const model = new LimitModel(TIGHT_LIMITS);
  const churn: ChurnRecord[] = [];
  const startedAt = performance.now();
  const day = today();
  const halfMs = (minutes * 60_000) / 2;

  async function half(deadly: boolean): Promise<void> {
    const until = performance.now() + halfMs;
    const stopping = new AbortController();
    const context = () => ({
      apiRoots,
      tally,
      random: random.fork(),
      stopping: stopping.signal,
    });
    const tenantOf = (user: number): Tenant => ample[user % ample.length] ?? tight;
    const running = [
      ...numbers(users).map((user) => mixedUser(context(), tenantOf(user))),
      ...numbers(GREEDY_USERS).map(() => greedyUser(context(), tight, model)),
      ...numbers(CHURNING_USERS).map(() =>
        churningUser(context(), { apiRoots, tenant: tenantOf(0), admin }, churn),
      ),
      tellProgress(stopping.signal),
    ];
    const pauseMs = Math.max(LEAST_CALM_MS, Math.min(CALM_MS, halfMs / 6));
    const plans = faults
      ? await plannableFaults({ stack, random: random.fork() }, { deadly })
      : [NO_FAULT];
    // The last fault must be over before the half is.
    const lastStart = until - 10_000;
    await inflictFaults({
      plans,
      log,
      random,
      until: lastStart,
      pauseMs,
      // Collecting garbage stops a process for longer than its neighbours wait.
      afterEach: () => watch.sample(),
      say,
    });
    await delay(Math.max(0, until - performance.now()));
    stopping.abort();
    await Promise.all(running);
  }

  async function tellProgress(stopping: AbortSignal): Promise<void> {
    while (await restedFor(TELL_EVERY_MS, stopping)) {
      const passed = Math.round((performance.now() - startedAt) / 1_000);
      say(
        `${passed} s: ${tally.issued} requests, ${tally.disturbances.length} disturbed, ${tally.wrongs.length} wrong, ${log.faults.length} faults`,
      );
    }
  }

  async function quietMoment(): Promise<Gauges> {
    say('letting everything come to rest …');
    const left = await awaitQuiet(stack);
    await delay(LINGER_MS);
    await watch.sampleDescriptors();
    await watch.sample();
    return left;
  }

  await half(true);
  const leftAtHalf = await quietMoment();
  const secondStart = performance.now();
  await half(false);
  const secondEnd = performance.now();
  const leftAtEnd = await quietMoment();
  const lastGreedy = await askWhenAdmitted(apiRoots[0] ?? '', tight, model);
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    tally,
    faults: log,
    watch,
    model,
    lastGreedy,
    crossedMidnight: today() !== day,
    churn,
    leftAtHalf,
    leftAtEnd,
    // A fifth of the half, for heaps and pools to reach their size.
    settledAt: secondStart + (secondEnd - secondStart) / 5,
    calmShare: log.calmMs(startedAt, performance.now()) / (performance.now() - startedAt),
  };
}

/** False when it was cut short. */
async function restedFor(ms: number, stopping: AbortSignal): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal: stopping });
    return true;
  } catch {
    return false;
  }
}

/** The bucket may still be empty from before; it fills by itself. */
async function askWhenAdmitted(root: string, tenant: Tenant, model: LimitModel): Promise<Exchange> {
  for (let attempt = 1; ; attempt += 1) {
    const seen = await askGreedily(root, tenant, model);
    if (seen.status === 200 || attempt === 100) return seen;
    await delay(500);
  }
}

async function rootsOf(stack: SluiceStack): Promise<string[]> {
  const { pathname } = new URL(stack.apiRoot);
  return (await stack.processes())
    .filter(({ name }) => name.startsWith('gateway'))
    .map(({ url }) => `${url}${pathname}`);
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function today(): number {
  return Math.floor(Date.now() / DAY_MS);
}
