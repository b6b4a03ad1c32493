import { BusDisconnectedError, type Bus } from '@sluice/bus';
import {
  CONTRACT_VERSION,
  HEARTBEAT_INTERVAL_MS,
  MAX_FULL_ORGANIZATIONS,
  type Heartbeat,
} from '@sluice/contracts';
import packageJson from '../../package.json' with { type: 'json' };
import type { PromptCache } from '../cache/prompt-cache.ts';
import type { WorkerIdentity } from '../identity.ts';
import type { RuntimeSupervisor } from '../runtime/runtime-supervisor.ts';
import type { JobIntake } from './job-intake.ts';

export interface HeartbeatOptions {
  readonly bus: Bus;
  readonly subject: string;
  readonly identity: WorkerIdentity;
  readonly supervisor: RuntimeSupervisor;
  readonly intake: JobIntake;
  readonly cache: Pick<PromptCache, 'nextFields'>;
}

/** Publishes a heartbeat every second, and at once after a change that matters for the choice of a worker. */
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
      // Nothing to do while the bus is disconnected: gateways notice that heartbeats are missing, and the next one is
      // sent as soon as the bus is connected again.
      if (!(error instanceof BusDisconnectedError)) throw error;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#stopListening();
  }
}

function heartbeatOf({ identity, supervisor, intake, cache }: HeartbeatOptions): Heartbeat {
  const { models, load } = supervisor.state;
  const classes = intake.activeClasses;
  const full_organizations = intake.organizationsAtBound.slice(0, MAX_FULL_ORGANIZATIONS);
  return {
    ...identity,
    contract: CONTRACT_VERSION,
    version: packageJson.version,
    models: [...models],
    draining: intake.draining,
    load: intake.load,
    ...(classes !== undefined && { classes }),
    ...(full_organizations.length > 0 && { full_organizations }),
    service_ms: intake.serviceMs,
    generated_tokens: intake.generatedTokens,
    runtime_load: load ?? null,
    ...cache.nextFields(),
  };
}
