import { count, type Logger } from '@sluice/telemetry';

export interface RefusalLogOptions {
  readonly logger: Logger;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

/** After a line, the next is not written before so long. */
const QUIET_MS = 10_000;

/** Tells of admin calls without a valid token. Somebody who tries many tokens fills a counter, not the log. */
export class RefusalLog {
  readonly #options: RefusalLogOptions;
  #saidAt: number | undefined;
  #refused = 0;

  constructor(options: RefusalLogOptions) {
    this.#options = options;
  }

  add(call: string): void {
    count('sluice.catalog.admin_refusals', {});
    this.#refused += 1;
    const now = this.#options.now();
    if (this.#saidAt !== undefined && now - this.#saidAt < QUIET_MS) return;
    this.#options.logger.warn(
      { call, refused: this.#refused },
      'admin calls without a valid token were refused',
    );
    this.#saidAt = now;
    this.#refused = 0;
  }
}
