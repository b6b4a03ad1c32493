import { BusDisconnectedError, type Bus } from '@sluice/bus';
import { CONTRACT_VERSION, HEARTBEAT_INTERVAL_MS, type Heartbeat } from '@sluice/contracts';
import packageJson from '../../package.json' with { type: 'json' };
import type { JobDesk } from '../domain/job-desk.ts';
import type { RuntimeSupervisor } from '../runtime/runtime-supervisor.ts';

export interface HeartbeatOptions {
  readonly bus: Bus;
  readonly subject: string;
  readonly identity: Pick<Heartbeat, 'worker' | 'pool'>;
  readonly supervisor: RuntimeSupervisor;
  readonly desk: JobDesk;
}

/** Tells all gateways each second, and at once when something changes that they choose by. */
export class HeartbeatSender implements Disposable {
  readonly #options: HeartbeatOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.announce(), HEARTBEAT_INTERVAL_MS);
    this.#stopListening = options.bus.onReconnect(() => this.announce());
    this.announce();
  }

  announce(): void {
    const { bus, subject } = this.#options;
    try {
      bus.publish(subject, Buffer.from(JSON.stringify(heartbeatOf(this.#options))));
    } catch (error) {
      // Gateways notice the silence; the reconnection is followed by an announcement.
      if (!(error instanceof BusDisconnectedError)) throw error;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#stopListening();
  }
}

function heartbeatOf({ identity, supervisor, desk }: HeartbeatOptions): Heartbeat {
  const { models, load } = supervisor.state;
  return {
    ...identity,
    contract: CONTRACT_VERSION,
    version: packageJson.version,
    models: [...models],
    draining: desk.draining,
    load: desk.load,
    service_ms: desk.serviceMs,
    generated_tokens: desk.generatedTokens,
    runtime_load: load ?? null,
  };
}
