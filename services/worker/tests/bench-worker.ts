import { startSimulator, type Simulator, type SimulatorOptions } from '@sluice/simulator';
import { waitUntil } from '@sluice/testkit';
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

/** A simulator, a worker on it and a gateway's half of the protocol. */
export interface Bench extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly worker: RunningWorker;
  readonly gateway: GatewayDouble;
  /** Nothing is held any more, here or at the runtime. */
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

/** For each test of a file a bench of its own, on which nothing is held when the test is over. */
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
