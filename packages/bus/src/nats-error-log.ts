import { PermissionViolationError, ProtocolError } from '@nats-io/transport-node';
import { LogDeduplicator, type Logger } from '@sluice/telemetry';
import { refusalOf } from './refusal.ts';

/** Names that are made up, of processes and inboxes. */
const MADE_UP = /[0-9A-Za-z]{12,}/g;
/** Rights may be given and taken without a new connection: what is still forbidden is said again after so long. */
const FORBIDDEN_QUIET_MS = 600_000;

/** Writes what a server complains of: it does so for every attempt and every message. */
export class ComplaintLog {
  readonly #logger: Logger;
  readonly #said = new LogDeduplicator();
  readonly #forbidden: LogDeduplicator;

  /** With a monotonic clock in milliseconds. */
  constructor(logger: Logger, now?: () => number) {
    this.#logger = logger;
    this.#forbidden = new LogDeduplicator({
      quietMs: FORBIDDEN_QUIET_MS,
      ...(now === undefined ? {} : { now }),
    });
  }

  add(error: Error): void {
    if (error instanceof PermissionViolationError) {
      this.#addForbidden(error);
      return;
    }
    const refusal = refusalOf(error);
    if (refusal !== undefined) {
      if (this.#said.shouldLog(refusal)) {
        this.#logger.warn({ err: error }, `the bus ${refusal}; still trying`);
      }
      return;
    }
    // What a server says of its limits quotes no content.
    const reason = error instanceof ProtocolError ? error.message : undefined;
    if (reason === undefined || this.#said.shouldLog(reason)) {
      this.#logger.warn({ reason, err: error }, 'the bus reported an error');
    }
  }

  /** The connection is back: what is wrong from now on is news. */
  over(): void {
    this.#said.reset();
    this.#forbidden.reset();
  }

  /** Once is enough for all whose subjects differ in their last part, or in names that were made up. */
  #addForbidden({ operation, subject }: PermissionViolationError): void {
    const place = subject.split('.').slice(0, -1).join('.').replaceAll(MADE_UP, '');
    if (!this.#forbidden.shouldLog(`${operation} ${place}`)) return;
    this.#logger.error({ operation, subject }, 'the bus does not permit this user to do this');
  }
}
