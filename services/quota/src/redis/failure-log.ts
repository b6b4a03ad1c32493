import type { Logger } from '@sluice/telemetry';
import { storeFailure } from './store-failure.ts';

export interface FailureLogOptions {
  readonly logger: Logger;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

/** The same reason is not repeated before so long. */
const QUIET_MS = 10_000;

/** Says why the store failed: the first failure of each kind, not each of thousands. */
export class FailureLog {
  readonly #options: FailureLogOptions;
  readonly #saidAt = new Map<string, number>();

  constructor(options: FailureLogOptions) {
    this.#options = options;
  }

  add(error: unknown): void {
    const { reason, aboutKey } = storeFailure(error);
    const now = this.#options.now();
    const kind = `${reason} ${aboutKey}`;
    const before = this.#saidAt.get(kind);
    if (before !== undefined && now - before < QUIET_MS) return;
    this.#saidAt.set(kind, now);
    this.#options.logger.warn(
      { reason },
      aboutKey ? 'the state of an organization cannot be used' : 'the store failed',
    );
  }

  /** The store works again: the next failure is of another outage. */
  recovered(): void {
    this.#saidAt.clear();
  }
}
