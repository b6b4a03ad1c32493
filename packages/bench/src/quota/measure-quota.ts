import { setTimeout as delay } from 'node:timers/promises';
import type { PauseWitness } from '@sluice/machine';
import type { Driver } from '../driver/start-driver.ts';
import { cpuMicroseconds, machineMicroseconds } from '../measure/process-usage.ts';
import { whileRunning } from '../measure/timings.ts';
import type { DecisionState, Pattern } from './quota-order.ts';

const SECONDS = 3;
/**
 * Until a load is looked at. One that arrives at a rate is judged by its latencies, and what a full load left
 * behind, and paths that V8 compiles once more for smaller handfuls, belong to the change and not to the load.
 */
const SETTLE_MS = { 'in flight': 700, arrivals: 3_000 } as const;
/** What piled up in a pause is caught up with in as long again, at half load. */
const AFTERMATH = 1;

/** One measurement: what was decided, and what it cost whom. */
export interface Rate {
  readonly perSecond: number;
  readonly redisMicroseconds: number;
  readonly quotaMicroseconds: number;
  readonly driverCores: number;
  readonly undecided: number;
  /** Without a decision while the machine itself stood still or ran slowly: nobody's fault here. */
  readonly undecidedInPauses: number;
  readonly latencyMs: readonly number[];
  /** The same, with those of a machine that stood still or ran slowly. */
  readonly allLatencyMs: readonly number[];
  readonly leftOutShare: number;
  /** Cores used by programs that have no part in this. */
  readonly foreignCores: number;
}

export interface Measuring {
  readonly redis: number;
  readonly quota: number;
  readonly witness: PauseWitness;
}

/** Lets a driver work, and looks at what comes of it. */
export async function measure<Order extends { readonly pattern: Pattern }>(
  driver: Driver<Order, DecisionState>,
  order: Order,
  { redis, quota, witness }: Measuring,
): Promise<Rate> {
  const used = () => ({
    redis: cpuMicroseconds(redis),
    quota: cpuMicroseconds(quota),
    own: cpuMicroseconds(process.pid),
    machine: machineMicroseconds(),
  });
  await driver.start(order);
  await delay(SETTLE_MS[order.pattern.kind]);
  const before = await driver.look();
  const startedAt = performance.now();
  const usedBefore = used();
  await delay(SECONDS * 1_000);
  const after = await driver.look();
  const usedAfter = used();
  const seconds = (performance.now() - startedAt) / 1_000;
  const pauses = witness.look().withAftermath(AFTERMATH);
  const admissions = whileRunning(after.admissions, pauses);
  const undecided = whileRunning(after.undecided, pauses).tookMs.length;
  const decided = after.decided - before.decided;
  const redisUsed = usedAfter.redis - usedBefore.redis;
  const quotaUsed = usedAfter.quota - usedBefore.quota;
  const driverUsed = after.cpuMicroseconds - before.cpuMicroseconds;
  const ours = redisUsed + quotaUsed + driverUsed + usedAfter.own - usedBefore.own;
  const foreignUsed = usedAfter.machine - usedBefore.machine - ours;
  const rate = {
    perSecond: decided / seconds,
    redisMicroseconds: redisUsed / decided,
    quotaMicroseconds: quotaUsed / decided,
    driverCores: driverUsed / (seconds * 1_000_000),
    undecided,
    undecidedInPauses: after.undecided.tookMs.length - undecided,
    latencyMs: admissions.tookMs,
    allLatencyMs: after.admissions.tookMs,
    leftOutShare: admissions.leftOutShare,
    foreignCores: Math.max(0, foreignUsed) / (seconds * 1_000_000),
  };
  await driver.stop();
  return rate;
}
