import { setTimeout as delay } from 'node:timers/promises';
import type { Driver } from '../driver/start-driver.ts';
import { cpuMicroseconds } from '../measure/process-usage.ts';
import { percentile } from '../measure/statistics.ts';
import type { ResolveOptions, ResolveState } from './resolve-options.ts';

const MEASURED_SECONDS = 3;
/** Pause after the load has begun, before it is measured. */
const SETTLE_MS = 1_000;
export const IN_FLIGHT = 64;

/** One measurement of a server that resolves credentials. */
export interface LookUpRate {
  readonly perSecond: number;
  /** Look-ups per second of CPU that the server used. */
  readonly perCore: number;
  readonly p50: number;
  readonly p99: number;
  /** Keys that were not found, and calls that failed. */
  readonly wrong: number;
}

/** Runs a driver against the server with this process id and measures its rate, latency and CPU. */
export async function measureLookUps(
  driver: Driver<ResolveOptions, ResolveState>,
  { address, keys, pid }: { address: string; keys: number; pid: number },
): Promise<LookUpRate> {
  await driver.start({ address, keys, inFlight: IN_FLIGHT });
  await delay(SETTLE_MS);
  const before = await driver.read();
  const startedAt = performance.now();
  const cpu = cpuMicroseconds(pid);
  await delay(MEASURED_SECONDS * 1_000);
  const after = await driver.read();
  const seconds = (performance.now() - startedAt) / 1_000;
  const resolved = after.resolved - before.resolved;
  const used = cpuMicroseconds(pid) - cpu;
  await driver.stop();
  return {
    perSecond: resolved / seconds,
    perCore: (resolved / used) * 1_000_000,
    p50: percentile(after.latencyMs, 0.5),
    p99: percentile(after.latencyMs, 0.99),
    wrong: after.unknown + after.failed,
  };
}
