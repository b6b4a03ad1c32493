import { setTimeout as delay } from 'node:timers/promises';
import type { PauseWitness } from '@sluice/devkit/pauses';
import type { Driver } from '../driver/start-driver.ts';
import { cpuMicroseconds, machineMicroseconds } from '../measure/process-usage.ts';
import { whileRunning } from '../measure/timings.ts';
import type { DecisionState, Pattern } from './quota-options.ts';

const MEASURED_SECONDS = 3;
/**
 * Time before a load is measured. A load with arrivals is judged by its latencies, so it gets more time: the backlog of
 * the previous load and the recompilation for smaller batches would distort them.
 */
const SETTLE_MS = { 'in flight': 700, arrivals: 3_000 } as const;
/** The work that accumulates during a pause is done after it. At half load, that takes as long as the pause. */
const AFTERMATH = 1;

/** One measurement: the decisions, and the CPU of each process. */
export interface Rate {
  readonly perSecond: number;
  readonly redisMicroseconds: number;
  readonly quotaMicroseconds: number;
  readonly driverCores: number;
  readonly undecided: number;
  /** Requests without a decision while the machine itself was paused or slow. They do not count as failures. */
  readonly undecidedInPauses: number;
  readonly latencyMs: readonly number[];
  /** All latencies, including those from times when the machine was paused or slow. */
  readonly allLatencyMs: readonly number[];
  readonly leftOutShare: number;
  /** Cores used by programs outside the benchmark. */
  readonly foreignCores: number;
}

export interface Measuring {
  /** The process ids of Redis and of the quota service. */
  readonly redis: number;
  readonly quota: number;
  readonly witness: PauseWitness;
}

/** Runs a driver and measures the decisions and the CPU that they cost. */
export async function measure<Options extends { readonly pattern: Pattern }>(
  driver: Driver<Options, DecisionState>,
  options: Options,
  { redis, quota, witness }: Measuring,
): Promise<Rate> {
  const used = () => ({
    redis: cpuMicroseconds(redis),
    quota: cpuMicroseconds(quota),
    bench: cpuMicroseconds(process.pid),
    machine: machineMicroseconds(),
  });
  await driver.start(options);
  await delay(SETTLE_MS[options.pattern.kind]);
  const before = await driver.read();
  const startedAt = performance.now();
  const usedBefore = used();
  await delay(MEASURED_SECONDS * 1_000);
  const after = await driver.read();
  const usedAfter = used();
  const seconds = (performance.now() - startedAt) / 1_000;
  const pauses = witness.look().withAftermath(AFTERMATH);
  const admissions = whileRunning(after.admissions, pauses);
  const undecided = whileRunning(after.undecided, pauses).tookMs.length;
  const decided = after.decided - before.decided;
  const redisUsed = usedAfter.redis - usedBefore.redis;
  const quotaUsed = usedAfter.quota - usedBefore.quota;
  const driverUsed = after.cpuMicroseconds - before.cpuMicroseconds;
  const ours = redisUsed + quotaUsed + driverUsed + usedAfter.bench - usedBefore.bench;
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
