import { setTimeout as delay } from 'node:timers/promises';
import { measuringOptions, measuringOptionsHelp, type Command } from '../command-line.ts';
import { requestBodies } from '../compare/bodies.ts';
import { COMPLETIONS, targetOf } from '../contestants/contestant.ts';
import { WORKER_SETTINGS } from '../contestants/sluice.ts';
import { startDriver, type Driver } from '../driver/start-driver.ts';
import { startLoadGenerator, type LoadGenerator } from '../load/load-generator.ts';
import { cpuMicroseconds } from '../measure/process-usage.ts';
import { summarize, type Summary } from '../measure/statistics.ts';
import { startBackingServer } from '../programs/backing-servers.ts';
import { startServiceProgram } from '../programs/service-program.ts';
import { startSimulatorProgram, type SimulatorProgram } from '../programs/simulator-program.ts';
import { formatSummary, table } from '../report/table.ts';
import type { JobOptions, JobState } from './job-options.ts';

const ROUNDS = 3;
const WORKER_SECONDS = 3;
const READER_SECONDS = 1.5;
/** Pause after a load has begun, before it is measured. */
const SETTLE_MS = 1_200;

/** The workloads of a worker. Each has its own unit. */
const WORKS = {
  paced: {
    title: '100 paced streams, 20 ms between tokens',
    unit: 'event',
    stream: true,
    jobs: 100,
    steering: (number: number) => ({ tokens: 400, itl_ms: 20, ttft_ms: 100 + number * 0.2 }),
  },
  unpaced: {
    title: '16 unpaced streams of 256 tokens',
    unit: 'event',
    stream: true,
    jobs: 16,
    steering: () => ({ tokens: 256 }),
  },
  whole: {
    title: 'small requests, not streamed, 32 at once',
    unit: 'job',
    stream: false,
    jobs: 32,
    steering: () => ({ tokens: 8 }),
  },
} as const;
type WorkName = keyof typeof WORKS;
const NAMES = ['paced', 'unpaced', 'whole'] as const satisfies readonly WorkName[];

/** CPU times are in microseconds per unit of the workload. */
interface Cost {
  readonly worker: number;
  readonly nats: number;
  readonly perSecond: number;
  readonly perMessage: number;
  readonly failed: number;
}

interface WorkerBench {
  readonly natsUrl: string;
  readonly pids: { readonly worker: number; readonly nats: number };
  readonly driver: Driver<JobOptions, JobState>;
  readonly generator: LoadGenerator;
  readonly simulator: SimulatorProgram;
}

/** Compares the worker and the bus with a client that only reads from the runtime, under the same workload. */
export const workerCommand: Command = {
  help: `
Usage: npm run bench -- worker [OPTIONS]

Measures a single worker between the bus and a runtime.

Options:
${measuringOptionsHelp(ROUNDS)}
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const { rounds, json } = measuringOptions(parameters, ROUNDS);
    say('starting NATS, the runtime and a worker …');
    const nats = cleanUp.use(await startBackingServer('nats'));
    const simulator = cleanUp.use(await startSimulatorProgram());
    const worker = cleanUp.use(
      await startServiceProgram('worker', {
        ...WORKER_SETTINGS,
        NATS_URL: nats.url,
        RUNTIME_URL: simulator.url,
        DRAIN_TIMEOUT_MS: '1000',
      }),
    );
    const bench: WorkerBench = {
      natsUrl: nats.url,
      pids: { worker: worker.pid, nats: nats.pid },
      driver: cleanUp.use(startDriver(new URL('job-process.ts', import.meta.url))),
      generator: cleanUp.use(startLoadGenerator()),
      simulator,
    };
    const costs: Record<WorkName, Cost[]> = { paced: [], unpaced: [], whole: [] };
    const bare: Record<WorkName, number[]> = { paced: [], unpaced: [], whole: [] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const name of NAMES) {
        say(round === 0 ? `warming up  ${name}` : `round ${round}/${rounds}  ${WORKS[name].title}`);
        const cost = await measureWorker(name, bench);
        const reader = await measureReader(name, bench);
        if (round === 0) continue;
        costs[name].push(cost);
        bare[name].push(reader);
      }
    }
    const report = Object.fromEntries(
      NAMES.map((name) => [name, summarizeWork(costs[name], bare[name])]),
    );
    print(json ? JSON.stringify(report, undefined, 2) : renderWorker(report));
    return Object.values(report).some(({ failed }) => failed > 0) ? 1 : 0;
  },
};

async function measureWorker(
  name: WorkName,
  { natsUrl, pids, driver, simulator }: WorkerBench,
): Promise<Cost> {
  const { stream, jobs, steering, unit } = WORKS[name];
  const bodies = requestBodies(jobs, (number) => ({ stream, steering: steering(number) }));
  await driver.start({ natsUrl, bodies, stream, jobs });
  await delay(SETTLE_MS);
  const before = await driver.read();
  const startedAt = performance.now();
  const worker = cpuMicroseconds(pids.worker);
  const nats = cpuMicroseconds(pids.nats);
  await delay(WORKER_SECONDS * 1_000);
  const after = await driver.read();
  const seconds = (performance.now() - startedAt) / 1_000;
  const units = unit === 'event' ? after.deltas - before.deltas : after.finished - before.finished;
  const cost = {
    worker: (cpuMicroseconds(pids.worker) - worker) / units,
    nats: (cpuMicroseconds(pids.nats) - nats) / units,
    perSecond: units / seconds,
    perMessage: units / (after.messages - before.messages),
    failed: after.failed,
  };
  await driver.stop();
  // Running jobs end by themselves: the streams are short, and the worker stops jobs of a gateway that has
  // disconnected.
  await simulator.idle();
  return cost;
}

/** The lower bound: the CPU of a client that reads the same from the runtime and only counts it. */
async function measureReader(
  name: WorkName,
  { generator, simulator }: WorkerBench,
): Promise<number> {
  const { stream, jobs, steering, unit } = WORKS[name];
  await generator.start({
    target: targetOf(simulator.url, COMPLETIONS, {}),
    bodies: requestBodies(jobs, (number) => ({ stream, steering: steering(number) })),
    pattern: { kind: 'closed loop', connections: jobs },
  });
  await delay(SETTLE_MS);
  const before = await generator.read();
  await delay(READER_SECONDS * 1_000);
  const after = await generator.read();
  await generator.stop();
  await simulator.idle();
  const units =
    unit === 'event' ? after.events - before.events : after.completed - before.completed;
  return (after.cpuMicroseconds - before.cpuMicroseconds) / units;
}

interface WorkReport {
  readonly worker_us: Summary | undefined;
  readonly nats_us: Summary | undefined;
  readonly reader_us: Summary | undefined;
  readonly per_worker_core: Summary | undefined;
  readonly per_second: Summary | undefined;
  readonly per_message: Summary | undefined;
  readonly failed: number;
}

function summarizeWork(costs: readonly Cost[], bare: readonly number[]): WorkReport {
  return {
    worker_us: summarize(costs.map(({ worker }) => worker)),
    nats_us: summarize(costs.map(({ nats }) => nats)),
    reader_us: summarize(bare),
    per_worker_core: summarize(costs.map(({ worker }) => 1_000_000 / worker)),
    per_second: summarize(costs.map(({ perSecond }) => perSecond)),
    per_message: summarize(costs.map(({ perMessage }) => perMessage)),
    failed: costs.reduce((sum, { failed }) => sum + failed, 0),
  };
}

function renderWorker(report: Readonly<Record<string, WorkReport>>): string {
  const rows = NAMES.flatMap((name) => {
    const own = report[name];
    if (own === undefined) return [];
    const { title, unit } = WORKS[name];
    return [
      [
        `  ${title}, for one ${unit}`,
        formatSummary(own.worker_us, 1),
        formatSummary(own.nats_us, 1),
        formatSummary(own.reader_us, 1),
        formatSummary(own.per_worker_core, 0),
        formatSummary(own.per_message, 1),
        String(own.failed),
      ],
    ];
  });
  return table([
    [
      'One worker',
      'CPU of the worker, µs',
      'of NATS, µs',
      'of a bare reader, µs',
      'per second and worker core',
      'in one message',
      'failed',
    ],
    ...rows,
  ]);
}
