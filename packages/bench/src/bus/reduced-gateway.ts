import { connectBus, type Bus, type BusMessage } from '@sluice/bus';
import {
  CONTRACT_VERSION,
  DEFAULT_SUBJECT_PREFIX,
  Heartbeat,
  LEASE_INTERVAL_MS,
  attemptName,
  encodeJob,
  mintProcessId,
  subjectsUnder,
} from '@sluice/contracts';
import { createLogger } from '@sluice/service';

export interface ReducedGatewayOptions {
  readonly natsUrl: string;
  /** Whether its jobs ask for streams or for whole replies. */
  readonly stream: boolean;
  /** Called for every message of frames. The subject of the message names the attempt. */
  readonly onFrames: (message: BusMessage) => void;
}

const MODEL = 'sluice-small';
/** Longer than any measurement, so that no job ends because of its time. */
const JOB_LIMIT_MS = 600_000;
const subjects = subjectsUnder(DEFAULT_SUBJECT_PREFIX);

/** A gateway reduced to its use of the bus. It renews its lease, sends jobs to one worker and receives the frames. */
export class ReducedGateway implements AsyncDisposable {
  readonly #bus: Bus;
  readonly #stream: boolean;
  readonly #worker: string;
  readonly #gateway = mintProcessId();
  readonly #lease: NodeJS.Timeout;

  private constructor(bus: Bus, worker: string, { stream, onFrames }: ReducedGatewayOptions) {
    this.#bus = bus;
    this.#worker = worker;
    this.#stream = stream;
    bus.subscribe(subjects.deltas(this.#gateway), onFrames);
    this.#renewLease();
    this.#lease = setInterval(() => this.#renewLease(), LEASE_INTERVAL_MS);
  }

  /** Resolves when the first worker has announced itself. */
  static async connect(options: ReducedGatewayOptions): Promise<ReducedGateway> {
    const logger = createLogger({ service: 'bench', level: 'silent' });
    const bus = await connectBus({ servers: [options.natsUrl], name: 'bench', logger });
    return new ReducedGateway(bus, await findWorker(bus), options);
  }

  /** Returns the name of the request's only attempt. */
  send(request: string, body: Uint8Array): string {
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
        stream: this.#stream,
        output_bound_requested: false,
        estimated_input_tokens: 10,
        reasoning_history: 'optional',
        queue_ms: JOB_LIMIT_MS,
        run_ms: JOB_LIMIT_MS,
      },
      body,
    );
    const attempt = attemptName(request, 1);
    this.#bus.publish(subjects.job(this.#worker), job, {
      reply: subjects.delta(this.#gateway, attempt),
    });
    return attempt;
  }

  /** Stops renewing the lease, so the worker drops the jobs that remain. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#lease);
    await this.#bus[Symbol.asyncDispose]();
  }

  #renewLease(): void {
    const lease = JSON.stringify({ gateway: this.#gateway });
    this.#bus.publish(subjects.lease(this.#gateway), Buffer.from(lease));
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
