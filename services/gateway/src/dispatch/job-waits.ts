import { HEARTBEAT_INTERVAL_MS } from '@sluice/contracts';
import type { AttemptCarrier } from './attempt-carrier.ts';
import { unreachableError } from './dispatch-errors.ts';
import type { FleetTable } from './fleet-table.ts';

/** Where one server of the bus is lost, another is reached within this. Whoever comes later is refused at once. */
const BRIEF_LOSS_MS = 1_000;
const RECONNECT_WAIT_MS = 5_000;

export interface JobWaitsOptions {
  readonly fleet: FleetTable;
  readonly carrier: AttemptCarrier;
  /** Ends every wait. */
  readonly signal: AbortSignal;
}

/** What one job waits for before it is offered: workers, a place at one of them, the bus. */
export class JobWaits {
  readonly #fleet: FleetTable;
  readonly #carrier: AttemptCarrier;
  readonly #signal: AbortSignal;
  #everybodyHeard = false;

  constructor({ fleet, carrier, signal }: JobWaitsOptions) {
    this.#fleet = fleet;
    this.#carrier = carrier;
    this.#signal = signal;
  }

  /** Whoever is there is known: no use in waiting for workers. */
  get everybodyHeard(): boolean {
    return this.#everybodyHeard;
  }

  /** Returns when there may be somebody to offer the job to, or when everybody has been heard. */
  async untilHeard(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    using _listening = this.#onArrivalOrAbort(() => resolve(false));
    this.#carrier.fleetHeard().then(() => resolve(true), reject);
    this.#everybodyHeard = await promise;
  }

  /** Returns when it is worth asking again: whoever was full may have room by its next heartbeat. */
  async untilRoom(limitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _listening = this.#onArrivalOrAbort(resolve);
    const timer = setTimeout(resolve, Math.min(limitMs, HEARTBEAT_INTERVAL_MS));
    await promise;
    clearTimeout(timer);
  }

  /** For a new job while the bus is away. Throws when it is not back within a moment. */
  async untilConnected(): Promise<void> {
    await this.#awaitBus(BRIEF_LOSS_MS);
  }

  /** For a job that lost the bus while it was at a worker. Throws when it is not back in time. */
  async untilReconnected(): Promise<void> {
    this.#everybodyHeard = false;
    await this.#awaitBus(RECONNECT_WAIT_MS);
  }

  async #awaitBus(limitMs: number): Promise<void> {
    const back = await Promise.race([this.#carrier.reconnected(limitMs), aborted(this.#signal)]);
    this.#signal.throwIfAborted();
    if (back !== true) throw unreachableError();
  }

  #onArrivalOrAbort(wake: () => void): Disposable {
    const stopListening = this.#fleet.onArrival(wake);
    this.#signal.addEventListener('abort', wake);
    return {
      [Symbol.dispose]: () => {
        stopListening();
        this.#signal.removeEventListener('abort', wake);
      },
    };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}
