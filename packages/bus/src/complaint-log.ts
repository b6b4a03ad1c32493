import { PermissionViolationError, ProtocolError } from '@nats-io/transport-node';
import { SaidOnce, type Logger } from '@sluice/telemetry';
import { refusalOf } from './refusal.ts';

/** A name that the client made up, as of an inbox. */
const MADE_UP = /[0-9A-Za-z]{22}/;
/** More of what one connection may not do is not said. */
const FORBIDDEN_SAID = 20;

/** Writes what a server complains of: it does so for every attempt and every message. */
export class ComplaintLog {
  readonly #logger: Logger;
  readonly #said = new SaidOnce();
  readonly #forbidden = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(error: Error): void {
    if (error instanceof PermissionViolationError) {
      this.#addForbidden(error);
      return;
    }
    const refusal = refusalOf(error);
    if (refusal !== undefined) {
      if (this.#said.isNews(refusal)) {
        this.#logger.warn({ err: error }, `the bus ${refusal}; trying on`);
      }
      return;
    }
    // What a server says of its limits quotes no content.
    const reason = error instanceof ProtocolError ? error.message : undefined;
    if (reason === undefined || this.#said.isNews(reason)) {
      this.#logger.warn({ reason, err: error }, 'the bus reported an error');
    }
  }

  /** The connection is back: what is wrong from now on is news. */
  over(): void {
    this.#said.over();
    this.#forbidden.clear();
  }

  /** Once is enough for all whose subjects differ in their last part, or in a name that was made up. */
  #addForbidden({ operation, subject }: PermissionViolationError): void {
    const place = subject.slice(0, subject.lastIndexOf('.')).replace(MADE_UP, '');
    const kind = `${operation} ${place}`;
    if (this.#forbidden.has(kind) || this.#forbidden.size >= FORBIDDEN_SAID) return;
    this.#forbidden.add(kind);
    this.#logger.error({ operation, subject }, 'the bus does not permit this user to do this');
  }
}
