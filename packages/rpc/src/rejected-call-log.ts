import { LogDeduplicator, count, initCounters, type Logger } from '@sluice/service';

/** The shortest time between two log lines. */
const QUIET_MS = 60_000;
const REJECTED = 'admin calls without a valid token were refused';

/** Counts every admin call that is rejected for its token, and logs at most one line a minute. */
export class RejectedCallLog implements Disposable {
  readonly #logger: Logger;
  readonly #deduplicator = new LogDeduplicator({
    quietMs: QUIET_MS,
    logRepeats: (_, refused) => this.#log(refused),
  });
  #last = { call: '', peer: '' };

  constructor(logger: Logger) {
    this.#logger = logger;
    initCounters('sluice.catalog.admin_refusals', [{}]);
  }

  add(call: string, peer: string): void {
    count('sluice.catalog.admin_refusals', {});
    this.#last = { call, peer };
    if (this.#deduplicator.shouldLog(REJECTED)) this.#log(1);
  }

  [Symbol.dispose](): void {
    this.#deduplicator[Symbol.dispose]();
  }

  #log(refused: number): void {
    this.#logger.warn({ ...this.#last, refused }, REJECTED);
  }
}
