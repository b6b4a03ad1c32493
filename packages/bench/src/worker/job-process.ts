import { connectBus, type Bus, type BusMessage } from '@sluice/bus';
import {
  CONTRACT_VERSION,
  DEFAULT_SUBJECT_PREFIX,
  FrameKind,
  Heartbeat,
  LEASE_INTERVAL_MS,
  attemptName,
  encodeJob,
  mintProcessId,
  readFrames,
  subjectsUnder,
} from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { serveDriver, type Running } from '../driver/driver-process.ts';
import type { JobOrder, JobState } from './job-order.ts';

const MODEL = 'sluice-small';
const RUN_MS = 600_000;
const subjects = subjectsUnder(DEFAULT_SUBJECT_PREFIX);

/** A gateway reduced to the bus: it sends jobs and counts what comes back. */
class JobLoad implements Running<JobState> {
  readonly #bus: Bus;
  readonly #order: JobOrder;
  readonly #worker: string;
  readonly #gateway = mintProcessId();
  readonly #bodies: readonly Buffer[];
  readonly #lease: NodeJS.Timeout;
  #sent = 0;
  #finished = 0;
  #failed = 0;
  #deltas = 0;
  #messages = 0;
  #stopped = false;

  constructor(bus: Bus, order: JobOrder, worker: string) {
    this.#bus = bus;
    this.#order = order;
    this.#worker = worker;
    this.#bodies = order.bodies.map((body) => Buffer.from(body));
    bus.subscribe(subjects.deltas(this.#gateway), (message) => this.#receive(message));
    this.#sayAlive();
    this.#lease = setInterval(() => this.#sayAlive(), LEASE_INTERVAL_MS);
    for (let job = 0; job < order.jobs; job += 1) this.#send();
  }

  look(): JobState {
    return {
      finished: this.#finished,
      failed: this.#failed,
      deltas: this.#deltas,
      messages: this.#messages,
    };
  }

  /** The worker drops what is left when the lease is not renewed; its own end does too. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#lease);
    await this.#bus[Symbol.asyncDispose]();
  }

  #sayAlive(): void {
    const lease = JSON.stringify({ gateway: this.#gateway });
    this.#bus.publish(subjects.lease(this.#gateway), Buffer.from(lease));
  }

  #send(): void {
    const body = this.#bodies[this.#sent % this.#bodies.length];
    if (body === undefined) throw new RangeError('a load needs at least one body');
    this.#sent += 1;
    const request = String(this.#sent);
    const job = encodeJob(
      {
        contract: CONTRACT_VERSION,
        gateway: this.#gateway,
        request,
        attempt: 1,
        organization: 'bench',
        project: 'bench',
        model: MODEL,
        runtime_model: MODEL,
        stream: this.#order.stream,
        output_bound_requested: false,
        reasoning_history: 'optional',
        queue_ms: RUN_MS,
        run_ms: RUN_MS,
      },
      body,
    );
    this.#bus.publish(subjects.job(this.#worker), job, {
      reply: subjects.delta(this.#gateway, attemptName(request, 1)),
    });
  }

  #receive(message: BusMessage): void {
    this.#messages += 1;
    readFrames(message.data, (kind) => {
      if (kind === FrameKind.delta) this.#deltas += 1;
      else if (kind === FrameKind.finished) this.#ended(true);
      else if (kind === FrameKind.failed || kind === FrameKind.refused) this.#ended(false);
    });
  }

  #ended(finished: boolean): void {
    if (this.#stopped) return;
    if (finished) this.#finished += 1;
    else this.#failed += 1;
    this.#send();
  }
}

async function findWorker(bus: Bus): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const subscription = bus.subscribe(subjects.fleets(), ({ json }) => {
    const heartbeat = Heartbeat.parse(json);
    if (!heartbeat.draining) resolve(heartbeat.worker);
  });
  const worker = await promise;
  subscription.unsubscribe();
  return worker;
}

serveDriver<JobOrder, JobState>(async (order) => {
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const bus = await connectBus({ servers: [order.natsUrl], name: 'bench', logger });
  return new JobLoad(bus, order, await findWorker(bus));
});
