import type { Logger } from '@sluice/telemetry';
import { Breaker, type BreakerState } from '../domain/breaker.ts';
import { FailureLog } from './failure-log.ts';
import { storeFailure } from './store-failure.ts';

export interface StoreServerOptions {
  readonly state?: BreakerState;
  /** Whether it can be asked: where it is not connected, that is told already. */
  readonly isReachable: () => boolean;
  /** Resolves when it decides and writes. */
  readonly probe: () => Promise<void>;
  /** What the log says of it. */
  readonly said: Readonly<{ answers: string; isSilent: string }>;
  readonly onAnswers: () => void;
  readonly logger: Logger;
}

const FAILURES_TO_OPEN = 5;
const PROBE_INTERVAL_MS = 250;

/** One server of the store: given up after five failures in a row, and found again by itself. The log tells of both. */
export class StoreServer implements Disposable {
  readonly #breaker: Breaker;
  readonly #failures: FailureLog;

  constructor({ state, isReachable, probe, said, onAnswers, logger }: StoreServerOptions) {
    this.#failures = new FailureLog(logger);
    this.#breaker = new Breaker({
      ...(state === undefined ? {} : { state }),
      failuresToOpen: FAILURES_TO_OPEN,
      probeIntervalMs: PROBE_INTERVAL_MS,
      probe: async () => {
        if (!isReachable()) throw new Error('the store is not connected');
        try {
          await probe();
        } catch (error) {
          this.#failures.add(error);
          throw error;
        }
      },
      onChange: (changed) => {
        if (changed === 'closed') {
          this.#failures.recovered();
          logger.info(said.answers);
          onAnswers();
        } else logger.error(said.isSilent);
      },
    });
  }

  get state(): BreakerState {
    return this.#breaker.state;
  }

  answered(): void {
    this.#breaker.succeeded();
  }

  failed(reason: unknown): void {
    this.#failures.add(reason);
    // One organization's broken state is no reason to turn everybody away.
    if (!storeFailure(reason).aboutKey) this.#breaker.failed();
  }

  /** Asks it now, if it is given up. */
  probe(): void {
    this.#breaker.probe();
  }

  [Symbol.dispose](): void {
    this.#breaker[Symbol.dispose]();
  }
}
