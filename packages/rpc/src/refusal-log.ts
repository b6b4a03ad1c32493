import { count, startAtZero, type Logger } from '@sluice/telemetry';

/** After a line, the next is not written before so long. */
const QUIET_MS = 60_000;

/** Counts every admin call that is refused for its token, and logs at most one line a minute. */
export class RefusalLog implements Disposable {
  readonly #logger: Logger;
  /** Since the last line. */
  #refused = 0;
  #last = { call: '', peer: '' };
  #quiet: NodeJS.Timeout | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
    startAtZero('sluice.catalog.admin_refusals', [{}]);
  }

  add(call: string, peer: string): void {
    count('sluice.catalog.admin_refusals', {});
    this.#refused += 1;
    this.#last = { call, peer };
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
      { ...this.#last, refused: this.#refused },
      'admin calls without a valid token were refused',
    );
    this.#refused = 0;
  }
}
