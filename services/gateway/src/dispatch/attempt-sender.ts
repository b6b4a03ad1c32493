import { BusDisconnectedError, type Bus } from '@sluice/bus';
import { HEARTBEAT_LATE_MS, type Subjects } from '@sluice/contracts';
import type { AttemptTable } from './attempt-table.ts';
import type { Attempt } from './attempt.ts';

export interface AttemptSenderOptions {
  readonly bus: Pick<Bus, 'connected' | 'publish' | 'flush' | 'onDisconnect' | 'onReconnect'>;
  readonly subjects: Subjects;
  readonly gateway: string;
  readonly attempts: Pick<AttemptTable, 'follow'>;
  readonly clock: () => number;
}

/** Sends jobs over the bus and tracks how long the bus has been connected. */
export class AttemptSender implements Disposable {
  readonly #options: AttemptSenderOptions;
  readonly #stopWatching: readonly (() => void)[];
  readonly #subscribed: Promise<void>;
  #connectedAt: number;
  #lostAt = 0;

  constructor(options: AttemptSenderOptions) {
    const { bus, clock } = options;
    this.#options = options;
    this.#connectedAt = clock();
    this.#stopWatching = [
      bus.onDisconnect(() => {
        this.#lostAt = clock();
      }),
      bus.onReconnect(() => {
        this.#connectedAt = clock();
      }),
    ];
    // Heartbeats arrive only after the server has processed the subscriptions, which takes a while when a process
    // starts.
    this.#subscribed = bus.flush().then(
      () => {
        this.#connectedAt = clock();
      },
      // The connection was lost. The reconnect handler above sets the time.
      () => undefined,
    );
  }

  get connected(): boolean {
    return this.#options.bus.connected;
  }

  /** Tracks the attempt and sends its job. If the job cannot be sent, the attempt ends as `disconnected`. */
  offer(attempt: Attempt, job: Uint8Array, headers: Readonly<Record<string, string>>): void {
    const { bus, subjects, gateway, attempts } = this.#options;
    attempts.follow(attempt);
    try {
      bus.publish(subjects.job(attempt.worker), job, {
        reply: subjects.delta(gateway, attempt.name),
        // An empty set of headers still adds a header block to the message.
        ...(Object.keys(headers).length > 0 && { headers }),
      });
    } catch (error) {
      attempt.end({ kind: 'disconnected' });
      if (!(error instanceof BusDisconnectedError)) throw error;
    }
  }

  /** Waits for the connection until `limitMs` after its loss. Resolves to whether it is back. */
  async waitForReconnect(limitMs: number): Promise<boolean> {
    const left = this.#lostAt + limitMs - this.#options.clock();
    if (this.connected || left <= 0) return this.connected;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#options.bus.onReconnect(resolve);
    const timer = setTimeout(resolve, left);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      stop();
    }
    return this.connected;
  }

  /** Resolves once the connection has lasted long enough for a heartbeat of every worker. */
  async fleetKnown(): Promise<void> {
    await this.#subscribed;
    // A reconnect in the meantime restarts the wait.
    for (let left = this.#msUntilFleetKnown(); left > 0; left = this.#msUntilFleetKnown()) {
      await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  #msUntilFleetKnown(): number {
    return this.#connectedAt + HEARTBEAT_LATE_MS - this.#options.clock();
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stopWatching) stop();
  }
}
