import { BusDisconnectedError, type Bus } from '@sluice/bus';
import { HEARTBEAT_INTERVAL_MS, type Heartbeat } from '@sluice/contracts';

export interface HeartbeatOptions {
  readonly bus: Bus;
  readonly subject: string;
  readonly describe: () => Heartbeat;
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
    const { bus, subject, describe } = this.#options;
    try {
      bus.publish(subject, Buffer.from(JSON.stringify(describe())));
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
