import { count, startAtZero, type Logger } from '@sluice/telemetry';

/** After a line, the next is not written before so long. */
const QUIET_MS = 10_000;

/** Tells of admin calls without a valid token. Somebody who tries many tokens fills a counter, not the log. */
export class RefusalLog implements Disposable {
  readonly #logger: Logger;
  /** Since the last line. */
  #refused = 0;
  #lastCall = '';
  #quiet: NodeJS.Timeout | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
    startAtZero('sluice.catalog.admin_refusals', [{}]);
  }

  add(call: string): void {
    count('sluice.catalog.admin_refusals', {});
    this.#refused += 1;
    this.#lastCall = call;
    if (this.#quiet === undefined) this.#sayAndKeepQuiet();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#quiet);
    if (this.#refused > 0) this.#say();
  }

  /** What comes in the meantime is told of at its end, whether or not more follows. */
  #sayAndKeepQuiet(): void {
    this.#say();
    this.#quiet = setTimeout(() => {
      this.#quiet = undefined;
      if (this.#refused > 0) this.#sayAndKeepQuiet();
    }, QUIET_MS).unref();
  }

  #say(): void {
    this.#logger.warn(
      { call: this.#lastCall, refused: this.#refused },
      'admin calls without a valid token were refused',
    );
    this.#refused = 0;
  }
}
