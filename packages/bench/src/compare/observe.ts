import { setTimeout as delay } from 'node:timers/promises';
import type { PauseWitness } from '@sluice/devkit/pauses';
import type { Contestant } from '../contestants/contestant.ts';
import type { DriverState } from '../driver/driver-process.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { LoadState } from '../load/load-options.ts';
import { cpuMicroseconds, isRunning, machineMicroseconds } from '../measure/process-usage.ts';
import { whileRunning, type RunningTimes } from '../measure/timings.ts';
import type { SimulatorProgram } from '../programs/simulator-program.ts';
import type { LoadQuality } from './figures.ts';

/** The processes that are observed during a load. */
export interface Watched {
  readonly contestant: Pick<Contestant, 'processes'>;
  readonly generator: LoadGenerator;
  readonly simulator: SimulatorProgram;
  readonly witness: PauseWitness;
}

export interface Observed extends Watched {
  readonly contestant: Contestant;
}

/** What happened between two readings. */
export interface Observation {
  readonly seconds: number;
  readonly completed: number;
  readonly events: number;
  readonly open: number;
  readonly firstTokens: RunningTimes;
  readonly replies: RunningTimes;
  /** CPU of each process of the contestant, in microseconds. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly quality: LoadQuality;
}

/** The state of the load and the CPU time used so far, in microseconds. */
interface Reading {
  readonly at: number;
  readonly state: DriverState<LoadState>;
  /** By process of the contestant. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly runtimeCpu: number;
  readonly machineCpu: number;
  /** The process of the benchmark itself. */
  readonly benchCpu: number;
}

const MICROSECONDS_PER_SECOND = 1_000_000;
/** If a larger share of the requests fails, the measurement is rejected, because failed requests have other costs. */
const TOLERATED_FAILURES = 0.01;

/** Observes the running load for this many seconds. */
export async function observe(observed: Watched, seconds: number): Promise<Observation> {
  const before = await takeReading(observed);
  await delay(seconds * 1_000);
  const after = await takeReading(observed);
  const pauses = observed.witness.look();
  const elapsed = (after.at - before.at) / 1_000;
  const cores = (microseconds: number) => microseconds / (elapsed * MICROSECONDS_PER_SECOND);
  const cpu: Record<string, number> = {};
  let ours = after.benchCpu - before.benchCpu;
  for (const [name, used] of Object.entries(after.cpu)) {
    cpu[name] = used - (before.cpu[name] ?? 0);
    ours += cpu[name];
  }
  const generator = after.state.cpuMicroseconds - before.state.cpuMicroseconds;
  const runtime = after.runtimeCpu - before.runtimeCpu;
  const machine = after.machineCpu - before.machineCpu;
  const completed = after.state.completed - before.state.completed;
  const { open } = after.state;
  const failures = increase(before.state.failures, after.state.failures);
  requireAnswers({ answered: completed + open, failures });
  return {
    seconds: elapsed,
    completed,
    events: after.state.events - before.state.events,
    open,
    firstTokens: whileRunning(after.state.firstTokens, pauses),
    replies: whileRunning(after.state.replies, pauses),
    cpu,
    quality: {
      failed: sumOf(failures),
      failures,
      generatorCores: cores(generator),
      generatorLateMs: after.state.lateMs,
      runtimeCores: cores(runtime),
      foreignCores: Math.max(0, cores(machine - ours - generator - runtime)),
    },
  };
}

/** Rejects a measurement with too many failures: refused and interrupted requests have other costs than the work. */
export function requireAnswers({
  answered,
  failures,
}: {
  answered: number;
  failures: Readonly<Record<string, number>>;
}): void {
  const failed = sumOf(failures);
  const all = answered + failed;
  if (failed <= all * TOLERATED_FAILURES) return;
  throw new Error(`${failed} of ${all} requests were not answered in full (${textOf(failures)})`);
}

/** Formats failures, for example as `503: 12, broken off: 1`. */
export function textOf(failures: LoadQuality['failures']): string {
  return Object.entries(failures)
    .map(([status, count]) => `${status === '0' ? 'broken off' : status}: ${count}`)
    .join(', ');
}

function increase(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([name, count]): [string, number] => [name, count - (before[name] ?? 0)])
      .filter(([, count]) => count > 0),
  );
}

/** Rejects a measurement in which a process has ended, because the CPU time of its replacement is not counted. */
export function requireRunning(processes: Contestant['processes']): void {
  for (const [name, pids] of Object.entries(processes)) {
    if (!pids.every(isRunning)) throw new Error(`its ${name} has ended`);
  }
}

async function takeReading({ contestant, generator, simulator }: Watched): Promise<Reading> {
  const state = await generator.read();
  requireRunning(contestant.processes);
  const { user, system } = process.cpuUsage();
  return {
    at: performance.now(),
    state,
    cpu: Object.fromEntries(
      Object.entries(contestant.processes).map(([name, pids]) => [
        name,
        pids.reduce((sum, pid) => sum + cpuMicroseconds(pid), 0),
      ]),
    ),
    runtimeCpu: cpuMicroseconds(simulator.pid),
    machineCpu: machineMicroseconds(),
    benchCpu: user + system,
  };
}

export function sumOf(values: Readonly<Record<string, number>>): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0);
}

/** The CPU of each process per request or event. */
export function perUnit(
  values: Readonly<Record<string, number>>,
  count: number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value / count]));
}
