import type { Logger } from '@sluice/service';
import { Breaker, type BreakerState } from '../limiter/breaker.ts';
import { FailureLog, storeFailure } from './store-errors.ts';

export interface RedisServerHealthOptions {
  readonly state?: BreakerState;
  /** Called before each probe, even if the server is not connected. */
  readonly beforeProbe?: () => void;
  /**
   * Whether the server is connected. If not, a failed probe is not logged, because lost connections are logged
   * elsewhere.
   */
  readonly isReachable: () => boolean;
  /** Resolves if the server decides and writes. */
  readonly probe: () => Promise<void>;
  /** The log messages of the two states. */
  readonly messages: Readonly<{ closed: string; open: string }>;
  readonly onAnswers: () => void;
  readonly logger: Logger;
}

const FAILURES_TO_OPEN = 5;
const PROBE_INTERVAL_MS = 250;

/** The circuit breaker and the failure log of one Redis server. Changes of the breaker's state are logged. */
export class RedisServerHealth implements Disposable {
  readonly #breaker: Breaker;
  readonly #failures: FailureLog;

  constructor({
    state,
    beforeProbe,
    isReachable,
    probe,
    messages,
    onAnswers,
    logger,
  }: RedisServerHealthOptions) {
    this.#failures = new FailureLog(logger);
    this.#breaker = new Breaker({
      ...(state === undefined ? {} : { state }),
      failuresToOpen: FAILURES_TO_OPEN,
      probeIntervalMs: PROBE_INTERVAL_MS,
      probe: async () => {
        beforeProbe?.();
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
          logger.info(messages.closed);
          onAnswers();
        } else logger.error(messages.open);
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
    // A failure that concerns one key must not reject all other organizations.
    if (!storeFailure(reason).aboutKey) this.#breaker.failed();
  }

  /** Probes the server now if the breaker is open. */
  probe(): void {
    this.#breaker.probe();
  }

  [Symbol.dispose](): void {
    this.#breaker[Symbol.dispose]();
  }
}
