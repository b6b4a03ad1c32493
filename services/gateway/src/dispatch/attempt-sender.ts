import { BusDisconnectedError, type Bus } from '@sluice/bus';
import { HEARTBEAT_LATE_MS, type Subjects } from '@sluice/contracts';
import type { AttemptCarrier } from '../domain/attempt-carrier.ts';
import type { Attempt } from '../domain/attempt.ts';
import type { AttemptTable } from './attempt-table.ts';

export interface BusCarrierOptions {
  readonly bus: Pick<Bus, 'connected' | 'publish' | 'flush' | 'onDisconnect' | 'onReconnect'>;
  readonly subjects: Subjects;
  readonly gateway: string;
  readonly attempts: Pick<AttemptTable, 'follow'>;
  readonly clock: () => number;
}

/** Carries attempts over the bus. */
export class BusCarrier implements AttemptCarrier, Disposable {
  readonly #options: BusCarrierOptions;
  readonly #stopWatching: readonly (() => void)[];
  readonly #subscribed: Promise<void>;
  #connectedAt: number;
  #lostAt = 0;

  constructor(options: BusCarrierOptions) {
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
    // A process that starts has much to do before its subscriptions leave: until then nobody can be heard.
    this.#subscribed = bus.flush().then(
      () => {
        this.#connectedAt = clock();
      },
      // The connection is lost: the next one counts, of which the event tells.
      () => undefined,
    );
  }

  get connected(): boolean {
    return this.#options.bus.connected;
  }

  offer(attempt: Attempt, job: Uint8Array, headers: Readonly<Record<string, string>>): void {
    const { bus, subjects, gateway, attempts } = this.#options;
    attempts.follow(attempt);
    try {
      bus.publish(subjects.job(attempt.worker), job, {
        reply: subjects.delta(gateway, attempt.name),
        // Even an empty set of them costs a header block in the message.
        ...(Object.keys(headers).length > 0 && { headers }),
      });
    } catch (error) {
      attempt.end({ kind: 'disconnected' });
      if (!(error instanceof BusDisconnectedError)) throw error;
    }
  }

  async reconnected(limitMs: number): Promise<boolean> {
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

  async fleetHeard(): Promise<void> {
    await this.#subscribed;
    // By then each worker has had its turn. A connection that is lost meanwhile begins it anew.
    for (let left = this.#hearingMs(); left > 0; left = this.#hearingMs()) {
      await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  #hearingMs(): number {
    return this.#connectedAt + HEARTBEAT_LATE_MS - this.#options.clock();
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stopWatching) stop();
  }
}
