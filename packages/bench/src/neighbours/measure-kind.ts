import { setTimeout as delay } from 'node:timers/promises';
import { requireRunning } from '../compare/observe.ts';
import { cpuMicroseconds, machineMicroseconds } from '../measure/process-usage.ts';
import type { Timings } from '../measure/timings.ts';
import type { InnocentState } from './innocent-options.ts';
import type { KindName } from './kinds.ts';
import { longestBlockMs, readBlocks } from './loop-blocks.ts';
import type { MeasurementSetup } from './measurement-setup.ts';
import type { Measurement } from './measurement.ts';
import type { TrafficOptions } from './traffic-options.ts';

/** The measurement lasts from the first byte until all replies have arrived, within these bounds. */
const MIN_WINDOW_MS = 1_200;
const LONGEST_WINDOW_MS = 5_000;
const CHECK_EVERY_MS = 50;
/** Time for the stack to settle after a load. */
const SETTLE_MS = 300;
/** If nothing is delayed, the innocent organization has fewer open requests than this. */
const MAX_OPEN = 10;
const OPEN_TIMEOUT_MS = 10_000;
const MICROSECONDS_PER_MS = 1_000;

interface Options {
  readonly round: number;
  readonly kind: KindName;
  readonly load: TrafficOptions['load'];
}

/** Puts one load on the stack beside the load of the innocent organization, and measures both. */
export async function measureKind(setup: MeasurementSetup, options: Options): Promise<Measurement> {
  const { innocents, traffic, runtime, target, watched } = setup;
  const { failed: failedBefore } = await innocents.read();
  const foreignCoresSoFar = countForeignCores(setup.pids);
  const { sentAtMs } = await traffic.start({ kind: options.kind, load: options.load, target });
  await delay(MIN_WINDOW_MS);
  await answered(traffic, sentAtMs + LONGEST_WINDOW_MS);
  const window = { from: sentAtMs, to: now() };
  const foreignCores = foreignCoresSoFar();
  const sent = await traffic.stop();
  await runtime.idle();
  await delay(SETTLE_MS);
  const seen = await readOnceAnswered(innocents);
  requireRunning(Object.fromEntries(Object.entries(watched).map(([name, pid]) => [name, [pid]])));
  return {
    ...options,
    bytes: sent.bytes,
    connections: sent.connections,
    statuses: sent.statuses,
    requestsMs: within(seen.requests, window),
    gapsMs: within(seen.gaps, window),
    failed: seen.failed - failedBefore,
    blocksMs: await longestBlocks(setup, { from: sentAtMs, to: now() }),
    foreignCores,
  };
}

async function answered(traffic: MeasurementSetup['traffic'], giveUpAtMs: number): Promise<void> {
  while (now() < giveUpAtMs && (await traffic.read()).unanswered > 0) await delay(CHECK_EVERY_MS);
}

/**
 * Waits for delayed requests: their durations are known only at their end, and they must not delay the next
 * measurement.
 */
async function readOnceAnswered(innocents: MeasurementSetup['innocents']): Promise<InnocentState> {
  const giveUpAtMs = now() + OPEN_TIMEOUT_MS;
  let seen: InnocentState = await innocents.read();
  while (seen.open > MAX_OPEN && now() < giveUpAtMs) {
    await delay(CHECK_EVERY_MS);
    const more = await innocents.read();
    seen = {
      ...more,
      requests: joined(seen.requests, more.requests),
      gaps: joined(seen.gaps, more.gaps),
    };
  }
  return seen;
}

function joined(one: Timings, other: Timings): Timings {
  return {
    begunAtMs: [...one.begunAtMs, ...other.begunAtMs],
    tookMs: [...one.tookMs, ...other.tookMs],
  };
}

async function longestBlocks(
  { watched, loopFolder }: MeasurementSetup,
  span: { readonly from: number; readonly to: number },
): Promise<Record<string, number>> {
  const longest: Record<string, number> = {};
  for (const [name, pid] of Object.entries(watched)) {
    longest[name] = longestBlockMs(await readBlocks(loopFolder, pid), span);
  }
  return longest;
}

/** The durations that overlap with a time span, including those that began before it. */
function within(
  { begunAtMs, tookMs }: Timings,
  { from, to }: { readonly from: number; readonly to: number },
): number[] {
  return tookMs.filter((took, index) => {
    const begunAt = begunAtMs[index] ?? 0;
    return begunAt + took >= from && begunAt <= to;
  });
}

/** Returns a function that gives the cores used by other programs since this call. */
function countForeignCores(pids: readonly number[]): () => number {
  const startedAt = performance.now();
  const ours = () => pids.reduce((sum, pid) => sum + cpuMicroseconds(pid), 0);
  const others = machineMicroseconds() - ours();
  return () => {
    const usedMs = (machineMicroseconds() - ours() - others) / MICROSECONDS_PER_MS;
    return Math.max(0, usedMs / (performance.now() - startedAt));
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
