import { LogDeduplicator, type Logger } from '@sluice/telemetry';
import { storeFailure } from './store-failure.ts';

/** The same reason is not repeated before so long. */
const QUIET_MS = 10_000;

/** Says why the store failed: the first failure of each kind, not each of thousands. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #said = new LogDeduplicator({ quietMs: QUIET_MS });

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(error: unknown): void {
    const { reason, aboutKey } = storeFailure(error);
    if (!this.#said.shouldLog(`${reason} ${aboutKey}`)) return;
    this.#logger.warn({ reason }, aboutKey ? aboutOne(reason) : 'the store failed');
  }

  /** The store works again: the next failure is of another outage. */
  recovered(): void {
    this.#said.reset();
  }
}

function aboutOne(reason: string): string {
  return reason === 'CLUSTERDOWN'
    ? 'a slot of the cluster is served by nobody'
    : 'the state of an organization cannot be used';
}
