import { setTimeout as delay } from 'node:timers/promises';
import { BusNoRespondersError, type Bus } from '@sluice/bus';
import type { ControlMessage, Subjects } from '@sluice/contracts';
import type { Logger } from '@sluice/telemetry';

export interface CancellationsOptions {
  readonly bus: Pick<Bus, 'connected' | 'request' | 'onReconnect'>;
  readonly subjects: Subjects;
  readonly logger: Logger;
  readonly clock: () => number;
}

const ACKNOWLEDGE_MS = 300;
const REPEAT_MS = 200;
/** By then the worker has missed this gateway's word for so long that it has dropped the job itself. */
const GIVE_UP_MS = 60_000;
/** Nobody listens there: the worker has ended, or lost its connection and dropped its jobs for that. */
const NOBODY_LIMIT = 5;

/** Tells workers to stop, again and again until they say that they have heard. */
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

  /** Resolves when every worker that was told so far has heard, or was given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  async #repeat(worker: string, attempt: string): Promise<void> {
    const { bus, subjects, logger, clock } = this.#options;
    const message: ControlMessage = { kind: 'cancel', attempt };
    const payload = Buffer.from(JSON.stringify(message));
    const giveUpAt = clock() + GIVE_UP_MS;
    let nobody = 0;
    while (clock() < giveUpAt && !this.#stop.signal.aborted) {
      try {
        await bus.request(subjects.control(worker), payload, { timeoutMs: ACKNOWLEDGE_MS });
        return;
      } catch (error) {
        if (error instanceof BusNoRespondersError) nobody += 1;
        if (nobody >= NOBODY_LIMIT) return;
      }
      await this.#pause();
    }
    // Without the bus no cancel is acknowledged: its loss has been logged already, and workers drop their jobs for it.
    if (this.#stop.signal.aborted || !bus.connected) return;
    logger.warn({ worker, attempt }, 'a cancel was never acknowledged');
  }

  /**
   * Until it is to be said again. At once when the bus is back: the worker may be the one that is offered the job
   * again, and have no room but that of the attempt which is to be cancelled.
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
