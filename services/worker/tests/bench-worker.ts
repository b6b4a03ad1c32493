import { waitUntil } from '@sluice/devkit';
import { startSimulator, type Simulator, type SimulatorOptions } from '@sluice/simulator';
import { afterEach, beforeEach, expect } from 'vitest';
import { readWorkerSettings } from '../src/config.ts';
import { start, type RunningWorker } from '../src/start.ts';
import { GatewayDouble, silentLogger } from './gateway-double.ts';

export interface BenchOptions {
  readonly natsUrl: string;
  readonly prefix: string;
  readonly simulator?: SimulatorOptions;
  readonly settings?: Record<string, string>;
  readonly model?: string;
}

/** A simulated runtime, a worker that uses it, and a test double of a gateway. */
export interface Bench extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly worker: RunningWorker;
  readonly gateway: GatewayDouble;
  /** Waits until neither the worker nor the runtime holds anything. */
  untilNothingIsHeld(): Promise<void>;
}

export async function startBench({
  natsUrl,
  prefix,
  simulator: simulated,
  settings,
  model,
}: BenchOptions): Promise<Bench> {
  const simulator = await startSimulator({
    port: 0,
    timeToFirstTokenMs: 5,
    betweenTokensMs: 1,
    ...simulated,
  });
  const gateway = await GatewayDouble.connect(natsUrl, prefix);
  const worker = await start(
    readWorkerSettings({
      NATS_URL: natsUrl,
      SUBJECT_PREFIX: prefix,
      RUNTIME_URL: simulator.url,
      WORKER_NAME: 'gpu-3',
      WORKER_HOST: 'rack-7',
      SLOTS: '4',
      QUEUE_LIMIT: '8',
      DRAIN_TIMEOUT_MS: '5000',
      ...settings,
    }),
    silentLogger,
  );
  await gateway.workerServing(model ?? 'sluice-small');
  return {
    simulator,
    worker,
    gateway,
    untilNothingIsHeld: async () => {
      await waitUntil(() => simulator.state().running === 0 && simulator.state().waiting === 0, {
        what: 'the runtime to be idle',
        timeoutMs: 2_000,
      });
      await waitUntil(() => Object.values(worker.holdings()).every((count) => count === 0), {
        what: 'the worker to hold nothing',
        timeoutMs: 2_000,
      });
      expect(worker.holdings()).toMatchObject({
        attempts: 0,
        running: 0,
        queued: 0,
        organizations: 0,
      });
    },
    [Symbol.asyncDispose]: async () => {
      await worker[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
    },
  };
}

/** Starts a bench for each test of a file, and expects that nothing is held at its end. */
export function useBench(nats: {
  readonly url: string;
  readonly namespace: string;
}): Omit<Bench, typeof Symbol.asyncDispose> {
  let bench: Bench;
  beforeEach(async () => {
    bench = await startBench({ natsUrl: nats.url, prefix: nats.namespace });
  });
  afterEach(async () => {
    await bench.untilNothingIsHeld();
    await bench[Symbol.asyncDispose]();
  });
  return {
    get simulator() {
      return bench.simulator;
    },
    get worker() {
      return bench.worker;
    },
    get gateway() {
      return bench.gateway;
    },
    untilNothingIsHeld: () => bench.untilNothingIsHeld(),
  };
}
