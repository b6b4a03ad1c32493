import { waitUntil, type OwnServerForTests, type ServiceProcess } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import {
  startSimulator,
  type Simulator,
  type SimulatorState,
  type Steering,
} from '@sluice/simulator';
import { BusWitness } from './bus-witness.ts';
import { CompletionClient, type Reply } from './completion-client.ts';
import type { FaultRow, Moment, Target } from './fault-table.ts';
import { Fleet, startRuntime, type RuntimeProcess, type Tenant } from './fleet.ts';

/** The number of clients for each moment. Half of them stream. */
const CLIENTS = 6;
const LAST_FRAME_CLIENTS = 10;
const RUNNING = 2 * CLIENTS + LAST_FRAME_CLIENTS;
const WAITING = LAST_FRAME_CLIENTS + CLIENTS;
const PLACING_ATTEMPTS = 3;
/** Bytes that were in flight to a client when a process froze still arrive within this time. */
const IN_FLIGHT_MS = 1_000;

/** How the answers are paced, so that every job is at its place when the fault strikes. */
const STEERING: Readonly<Record<Place, (index: number) => Steering>> = {
  queued: () => ({ tokens: 10, reasoning: 3, ttft_ms: 20, itl_ms: 10 }),
  'next in line': () => ({ tokens: 10, reasoning: 3, ttft_ms: 2_000, itl_ms: 10 }),
  'before the first token': () => ({ tokens: 10, reasoning: 3, ttft_ms: 6_000, itl_ms: 10 }),
  'mid-stream': () => ({ tokens: 90, reasoning: 10, ttft_ms: 20, itl_ms: 65 }),
  // All tokens arrive together. The ends follow one by one, and the fault strikes between them.
  'at the last frame': (index) => ({
    tokens: 45,
    reasoning: 5,
    ttft_ms: 20,
    itl_ms: 60,
    end_ms: 1 + Math.floor(index / 2) * 150,
  }),
};

/** A client that is `next in line` is queued or before the first token. In both cases it has received nothing. */
export type Place = Moment | 'next in line';

export interface PlacedClient {
  readonly moment: Place;
  readonly client: CompletionClient;
}

export interface StruckClient extends PlacedClient {
  readonly reply: Reply;
}

export interface StruckRow {
  readonly tenant: Tenant;
  readonly clients: readonly StruckClient[];
  /** The accepted attempts. */
  readonly accepted: ReadonlySet<string>;
  readonly struckAt: number;
  /** When a frozen process continued; for other faults equal to `struckAt`. */
  readonly overAt: number;
}

/**
 * One gateway, a worker that gets every job at first, and a second worker whose runtime starts only when all jobs are
 * in place, so that it gets every retry.
 */
export class FaultScene implements AsyncDisposable {
  readonly fleet: Fleet;
  readonly witness: BusWitness;
  readonly #nats: OwnServerForTests;
  readonly #runtime: RuntimeProcess;
  readonly #secondPort: number;

  private constructor(parts: {
    fleet: Fleet;
    witness: BusWitness;
    nats: OwnServerForTests;
    runtime: RuntimeProcess;
    secondPort: number;
  }) {
    this.fleet = parts.fleet;
    this.witness = parts.witness;
    this.#nats = parts.nats;
    this.#runtime = parts.runtime;
    this.#secondPort = parts.secondPort;
  }

  static async open(nats: OwnServerForTests, redisUrl: string): Promise<FaultScene> {
    await using opening = new AsyncDisposableStack();
    const runtime = await startRuntime();
    opening.use(runtime.process);
    const secondPort = await findFreePort();
    const start = () =>
      Fleet.start({
        natsUrl: nats.url,
        redisUrl,
        runtimes: [runtime.url, `http://127.0.0.1:${secondPort}`],
        workerSettings: {
          SLOTS: String(RUNNING),
          STALL_TIMEOUT_MS: '4000',
          FIRST_WORD_TIMEOUT_MS: '8000',
          DRAIN_TIMEOUT_MS: '60000',
        },
        gatewaySettings: { DRAIN_ANNOUNCE_MS: '500', DRAIN_LIMIT_MS: '60000' },
      });
    // A worker is ready once its runtime is.
    const fleet = await withSecondRuntime(secondPort, start);
    opening.use(fleet);
    const witness = opening.use(await BusWitness.connect(nats.url));
    opening.move();
    const scene = new FaultScene({ fleet, witness, nats, runtime, secondPort });
    await scene.#secondIsOut();
    return scene;
  }

  /** Places clients, strikes, and waits until all of them have ended and everything is as before. */
  async strike(row: FaultRow): Promise<StruckRow> {
    const { tenant, placed, secondRuntime } = await this.#place();
    const struckAt = performance.now();
    const overAt = await this.#inflict(row);
    const clients = await Promise.all(
      placed.map(async ({ moment, client }) => ({
        moment,
        client,
        reply: await replyBy(overAt + row.deadlineMs, client),
      })),
    );
    if (row.target === 'gateway') requireSilence(clients, struckAt + IN_FLIGHT_MS, overAt);
    await secondRuntime[Symbol.asyncDispose]();
    await this.#recover(row);
    return { tenant, clients, accepted: this.witness.takeAccepted(), struckAt, overAt };
  }

  /** Brings the jobs to their places. Tries again if a pause of the machine prevented that. */
  async #place(): Promise<Placement> {
    for (let attempt = 1; ; attempt += 1) {
      this.witness.takeAccepted();
      const tenant = await this.fleet.tenant();
      const placed: PlacedClient[] = [];
      await using stage = new AsyncDisposableStack();
      stage.defer(async () => {
        for (const { client } of placed) client.leave();
        await this.#secondIsOut();
        await this.fleet.holdsNothing();
      });
      try {
        const secondRuntime = await this.#placeOnce(tenant, placed, stage);
        stage.move();
        return { tenant, placed, secondRuntime };
      } catch (error) {
        if (attempt === PLACING_ATTEMPTS) throw error;
      }
    }
  }

  async #placeOnce(
    tenant: Tenant,
    placed: PlacedClient[],
    stage: AsyncDisposableStack,
  ): Promise<Simulator> {
    const [worker] = this.fleet.workers;
    const loadOf = async () => (await worker?.health())?.load;
    const ask = (moment: Place, count: number) => {
      for (let index = 0; index < count; index += 1) placed.push(this.#ask(tenant, moment, index));
    };
    ask('before the first token', CLIENTS);
    ask('mid-stream', CLIENTS);
    ask('at the last frame', LAST_FRAME_CLIENTS);
    await waitUntil(async () => (await loadOf())?.running === RUNNING, { what: 'all jobs to run' });
    // These jobs take the slots of jobs that end too early, so that the last ones stay queued.
    ask('next in line', LAST_FRAME_CLIENTS);
    ask('queued', CLIENTS);
    await waitUntil(async () => (await loadOf())?.queued === WAITING, {
      what: 'the other jobs to be queued',
    });
    const secondRuntime = stage.use(await startSimulator({ port: this.#secondPort }));
    await this.fleet.offersTo(2);
    const streams = placed.filter(({ client }) => client.stream);
    await waitUntil(
      () => streams.every(({ moment, client }) => moment !== 'mid-stream' || client.pieces > 0),
      { what: 'the streams to have begun' },
    );
    const load = await loadOf();
    if (load?.running !== RUNNING || load.queued !== WAITING) throw new Error('placed too late');
    await waitUntil(
      () => streams.some(({ moment, client }) => moment === 'at the last frame' && client.hasAll),
      { what: 'the last token', everyMs: 5 },
    );
    return secondRuntime;
  }

  #ask({ key }: Tenant, moment: Place, index: number): PlacedClient {
    const client = new CompletionClient({
      url: this.fleet.gateways[0]?.url ?? '',
      key,
      name: `${moment} ${index}`,
      steering: STEERING[moment](index),
      stream: index % 2 === 0,
    });
    return { moment, client };
  }

  /** Inflicts the fault. Returns the time at which a frozen process continued, or else the time of the signal. */
  async #inflict({ target, fault }: FaultRow): Promise<number> {
    const now = performance.now();
    if (fault.signal === 'SIGSTOP') {
      const frozen = target === 'NATS' ? this.#nats : processAsServer(this.#process(target));
      await frozen.pause();
      await waitUntil(() => performance.now() >= now + fault.frozenMs, {
        what: 'the end of the freeze',
        timeoutMs: fault.frozenMs + 5_000,
      });
      await frozen.resume();
      return performance.now();
    }
    if (target === 'NATS') {
      await (fault.signal === 'SIGTERM' ? this.#nats.terminate() : this.#nats.kill());
      await this.#nats.restart();
    } else if (target === 'runtime') {
      await this.#runtime.process.end(fault.signal);
      await this.#runtime.process.start();
    } else this.#process(target).signal(fault.signal);
    return now;
  }

  #process(target: Exclude<Target, 'NATS'>): ServiceProcess {
    const { gateways, workers } = this.fleet;
    const found = {
      worker: workers[0]?.process,
      gateway: gateways[0]?.process,
      runtime: this.#runtime.process,
    }[target];
    if (found === undefined) throw new Error(`there is no ${target}`);
    return found;
  }

  async #recover({ target, fault }: FaultRow): Promise<void> {
    if ((target === 'worker' || target === 'gateway') && fault.signal !== 'SIGSTOP') {
      const process = this.#process(target);
      await waitUntil(() => !process.running, {
        what: `the ${target} to end`,
        timeoutMs: 60_000,
      });
      // A process that gets SIGTERM exits with 0.
      if (fault.signal === 'SIGTERM' && process.exitCode !== 0) {
        throw new Error(`the ${target} did not end well:\n${process.lastLines()}`);
      }
      await process.start();
    }
    await waitUntil(() => this.witness.connected, { what: 'the bus', timeoutMs: 20_000 });
    await this.#secondIsOut();
    await this.fleet.holdsNothing();
    await waitUntil(async () => (await this.#runtimeLoad()) === 0, {
      what: 'the runtime to be idle',
    });
  }

  /** Waits until the gateway knows that the runtime of the second worker has ended. */
  async #secondIsOut(): Promise<void> {
    const [, second] = this.fleet.workers;
    await waitUntil(async () => (await second?.health())?.models?.length === 0, {
      what: 'the second worker to notice that its runtime has ended',
    });
    await this.fleet.offersTo(1);
  }

  async #runtimeLoad(): Promise<number> {
    const answer = await fetch(`${this.#runtime.url}/sim/state`);
    const { running, waiting } = (await answer.json()) as SimulatorState;
    return running + waiting;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.witness[Symbol.asyncDispose]();
    await this.fleet[Symbol.asyncDispose]();
    await this.#runtime.process[Symbol.asyncDispose]();
  }
}

interface Placement {
  readonly tenant: Tenant;
  readonly placed: readonly PlacedClient[];
  readonly secondRuntime: Simulator;
}

/** Throws if a client received bytes while the gateway was frozen. */
function requireSilence(clients: readonly StruckClient[], from: number, to: number): void {
  for (const { client, reply } of clients) {
    for (const at of [client.lastBytesAt, reply.endedAt]) {
      if (at > from && at < to) throw new Error(`${client.name} got bytes from a frozen gateway`);
    }
  }
}

async function replyBy(deadline: number, client: CompletionClient): Promise<Reply> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(
    () => late.resolve(undefined),
    Math.max(0, deadline - performance.now()),
  );
  const reply = await Promise.race([client.ended, late.promise]);
  clearTimeout(timer);
  if (reply !== undefined) return reply;
  client.leave();
  return { ...(await client.ended), ending: 'wrong', detail: 'nothing by the deadline' };
}

/** Gives a process the methods of a server. */
function processAsServer(process: ServiceProcess): Pick<OwnServerForTests, 'pause' | 'resume'> {
  return { pause: async () => process.freeze(), resume: async () => process.thaw() };
}

async function withSecondRuntime<Value>(port: number, run: () => Promise<Value>): Promise<Value> {
  await using _runtime = await startSimulator({ port });
  return await run();
}
