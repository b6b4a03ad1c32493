import { connectBus, type Bus } from '@sluice/bus';
import {
  CONTRACT_VERSION,
  DEFAULT_SUBJECT_PREFIX,
  HEARTBEAT_INTERVAL_MS,
  subjectsUnder,
  workerName,
  type Heartbeat,
} from '@sluice/contracts';
import { createLogger } from '@sluice/service';

const POOLS = 8;
/** Heartbeats are sent in parts, because real workers do not send theirs at the same moment. */
const PARTS = 20;
const SLOTS = 16;

/** Sends the heartbeats of many workers that serve no model of the stack, so that no request is offered to them. */
export class SimulatedFleet implements AsyncDisposable {
  readonly #bus: Bus;
  readonly #count: number;
  readonly #timer: NodeJS.Timeout;
  #part = 0;

  private constructor(bus: Bus, count: number) {
    this.#bus = bus;
    this.#count = count;
    this.#timer = setInterval(() => this.#sendPart(), HEARTBEAT_INTERVAL_MS / PARTS);
  }

  static async start(natsUrl: string, count: number): Promise<SimulatedFleet> {
    const logger = createLogger({ service: 'bench', level: 'silent' });
    return new SimulatedFleet(
      await connectBus({ servers: [natsUrl], name: 'bench', logger }),
      count,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#bus[Symbol.asyncDispose]();
  }

  #sendPart(): void {
    const subjects = subjectsUnder(DEFAULT_SUBJECT_PREFIX);
    for (let number = this.#part % PARTS; number < this.#count; number += PARTS) {
      const heartbeat = heartbeatOf(number, Math.floor(this.#part / PARTS));
      this.#bus.publish(subjects.fleet(heartbeat.pool), Buffer.from(JSON.stringify(heartbeat)));
    }
    this.#part += 1;
  }
}

function heartbeatOf(number: number, second: number): Heartbeat {
  const pool = `simulated-${number % POOLS}`;
  const running = (number + second) % (SLOTS + 1);
  return {
    worker: workerName(pool, `w${number}`),
    worker_name: `gpu-${String(number).padStart(4, '0')}`,
    pool,
    host: `rack-${number % 40}`,
    runtime: `10.0.${number % 40}.1:8000`,
    contract: CONTRACT_VERSION,
    version: '0.2.0',
    models: [`simulated-model-${number % POOLS}`],
    draining: false,
    load: { slots: SLOTS, running, queued: number % 4, queue_limit: 64 },
    service_ms: 2_000,
    generated_tokens: 800 * second,
    runtime_load: null,
  };
}
