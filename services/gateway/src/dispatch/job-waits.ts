import { HEARTBEAT_INTERVAL_MS } from '@sluice/contracts';
import type { FleetTable } from '../fleet/fleet-table.ts';
import type { AttemptSender } from './attempt-sender.ts';
import { unreachableError } from './dispatch-errors.ts';

/**
 * How long after the loss of the connection a new job may wait for it. This is enough to fail over to another NATS
 * server. A job that arrives later fails at once.
 */
const BRIEF_LOSS_MS = 1_000;
/** How long after the loss of the connection a job may wait for it if the loss interrupted its attempt. */
const RECONNECT_WAIT_MS = 5_000;

export interface JobWaitsOptions {
  readonly fleet: FleetTable;
  readonly sender: Pick<AttemptSender, 'waitForReconnect' | 'fleetKnown'>;
  /** Ends every wait. */
  readonly signal: AbortSignal;
}

/** The waits of one job before it is offered: for workers, for room at one of them, for the bus. */
export class JobWaits {
  readonly #fleet: FleetTable;
  readonly #sender: Pick<AttemptSender, 'waitForReconnect' | 'fleetKnown'>;
  readonly #signal: AbortSignal;
  #isFleetKnown = false;

  constructor({ fleet, sender, signal }: JobWaitsOptions) {
    this.#fleet = fleet;
    this.#sender = sender;
    this.#signal = signal;
  }

  /** Whether every running worker is known, so that waiting for workers is useless. */
  get isFleetKnown(): boolean {
    return this.#isFleetKnown;
  }

  /** Resolves when a worker arrives or when the whole fleet is known. */
  async waitForFleet(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    using _listening = this.#onArrivalOrAbort(() => resolve(false));
    this.#sender.fleetKnown().then(() => resolve(true), reject);
    this.#isFleetKnown = await promise;
  }

  /** Resolves when it is worth asking again: a full worker may have room by its next heartbeat. */
  async waitForRoom(limitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _listening = this.#onArrivalOrAbort(resolve);
    const timer = setTimeout(resolve, Math.min(limitMs, HEARTBEAT_INTERVAL_MS));
    await promise;
    clearTimeout(timer);
  }

  /** Used for a new job while the bus is disconnected. Throws if it does not reconnect within BRIEF_LOSS_MS. */
  async waitForConnection(): Promise<void> {
    await this.#awaitBus(BRIEF_LOSS_MS);
  }

  /** Used for a job whose worker became unreachable. Throws if the bus does not reconnect within RECONNECT_WAIT_MS. */
  async waitForReconnect(): Promise<void> {
    this.#isFleetKnown = false;
    await this.#awaitBus(RECONNECT_WAIT_MS);
  }

  async #awaitBus(limitMs: number): Promise<void> {
    const back = await Promise.race([
      this.#sender.waitForReconnect(limitMs),
      aborted(this.#signal),
    ]);
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
