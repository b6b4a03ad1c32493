import { setTimeout as delay } from 'node:timers/promises';
import { BusNoRespondersError, type Bus } from '@sluice/bus';
import type { ControlMessage, Subjects } from '@sluice/contracts';
import type { Logger } from '@sluice/service';

export interface CancellationsOptions {
  readonly bus: Pick<Bus, 'connected' | 'request' | 'onReconnect'>;
  readonly subjects: Subjects;
  /** Returns the name of a worker, for the log. */
  readonly nameOf: (worker: string) => string;
  readonly logger: Logger;
  readonly clock: () => number;
}

/** How long a worker may take to acknowledge a cancel. */
const ACKNOWLEDGE_MS = 300;
/** The pause before a cancel is repeated. */
const REPEAT_MS = 200;
/** After this time, the lease of this gateway has expired at the worker, so the worker has dropped the job itself. */
const GIVE_UP_MS = 60_000;
/** If NATS replies this often that there is no subscriber, the worker has ended or has dropped its jobs. */
const MAX_NO_RESPONDERS = 5;

/** Sends cancels to workers and repeats them until they are acknowledged. */
export class Cancellations implements Disposable {
  readonly #options: CancellationsOptions;
  readonly #pending = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: CancellationsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pending.size;
  }

  cancel(worker: string, attempt: string): void {
    if (this.#stop.signal.aborted || this.#pending.has(attempt)) return;
    this.#pending.set(
      attempt,
      this.#repeat(worker, attempt).finally(() => this.#pending.delete(attempt)),
    );
  }

  /** Resolves when every cancel sent so far is acknowledged or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  async #repeat(worker: string, attempt: string): Promise<void> {
    const { bus, subjects, nameOf, logger, clock } = this.#options;
    const message: ControlMessage = { kind: 'cancel', attempt };
    const payload = Buffer.from(JSON.stringify(message));
    const giveUpAt = clock() + GIVE_UP_MS;
    let noResponders = 0;
    while (clock() < giveUpAt && !this.#stop.signal.aborted) {
      try {
        await bus.request(subjects.control(worker), payload, { timeoutMs: ACKNOWLEDGE_MS });
        return;
      } catch (error) {
        if (error instanceof BusNoRespondersError) noResponders += 1;
        if (noResponders >= MAX_NO_RESPONDERS) return;
      }
      await this.#pause();
    }
    // The bus logs a lost connection. Workers drop the jobs of a gateway whose lease expires.
    if (this.#stop.signal.aborted || !bus.connected) return;
    logger.warn({ worker: nameOf(worker), attempt }, 'a cancel was never acknowledged');
  }

  /**
   * Waits before the cancel is repeated. A reconnect ends the wait: the job may be offered to the same worker again,
   * and the attempt to cancel may hold its last slot.
   */
  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopListening = this.#options.bus.onReconnect(resolve);
    const pause = delay(REPEAT_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    await Promise.race([promise, pause]);
    stopListening();
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
