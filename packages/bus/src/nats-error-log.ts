import {
  PermissionViolationError,
  ProtocolError,
  AuthorizationError,
  ConnectionError,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node';
import { LogDeduplicator, type Logger } from '@sluice/service';

/**
 * Error codes for an untrusted certificate: OpenSSL's verification errors under their Node names, and Node's own code
 * for a wrong host name. See https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const UNTRUSTED =
  /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|INVALID_(?:CA|PURPOSE)|ERR_TLS_CERT_ALTNAME_)/;

export const UNTRUSTED_CERTIFICATE =
  'presents a certificate that is not trusted, or not valid for this address';

/**
 * Why the server refuses the client until an operator changes something. Undefined for errors that may pass by
 * themselves.
 */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError) {
    return 'refuses this user, password, token or credentials file';
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNTRUSTED.test(code)) return UNTRUSTED_CERTIFICATE;
  // The client marks this case only by its message.
  if (error instanceof ConnectionError && error.message.includes("not support 'tls'")) {
    return 'does not support TLS, which the address requires';
  }
  return refusalOf(error.cause);
}

/** Random names of processes and inboxes. */
const RANDOM_NAME = /[0-9A-Za-z]{12,}/g;
/** Rights may change without a new connection. A forbidden operation that continues is logged again after this time. */
const FORBIDDEN_QUIET_MS = 600_000;

/**
 * Logs the errors that a NATS server reports, each once. The server repeats them for every attempt and every message.
 */
export class NatsErrorLog {
  readonly #logger: Logger;
  readonly #logged = new LogDeduplicator();
  readonly #forbidden: LogDeduplicator;

  /** The clock is monotonic, in milliseconds. */
  constructor(logger: Logger, clock?: () => number) {
    this.#logger = logger;
    this.#forbidden = new LogDeduplicator({
      quietMs: FORBIDDEN_QUIET_MS,
      ...(clock !== undefined && { clock }),
    });
  }

  add(error: Error): void {
    if (error instanceof PermissionViolationError) {
      this.#addForbidden(error);
      return;
    }
    const refusal = refusalOf(error);
    if (refusal !== undefined) {
      if (this.#logged.shouldLog(refusal)) {
        this.#logger.warn({ err: error }, `the bus ${refusal}; still trying`);
      }
      return;
    }
    // Errors of the server about its limits contain no message content.
    const reason = error instanceof ProtocolError ? error.message : undefined;
    if (reason === undefined || this.#logged.shouldLog(reason)) {
      this.#logger.warn({ reason, err: error }, 'the bus reported an error');
    }
  }

  /** Call it when the connection is restored. Every error is then logged again. */
  reset(): void {
    this.#logged.reset();
    this.#forbidden.reset();
  }

  /** Subjects that differ only in their last token or in a random name are logged once. */
  #addForbidden({ operation, subject }: PermissionViolationError): void {
    const pattern = subject.split('.').slice(0, -1).join('.').replaceAll(RANDOM_NAME, '');
    if (!this.#forbidden.shouldLog(`${operation} ${pattern}`)) return;
    this.#logger.error({ operation, subject }, 'the bus does not permit this user to do this');
  }
}
