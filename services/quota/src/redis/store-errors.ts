import { LogDeduplicator, type Logger } from '@sluice/service';
import { DeadlineMissedError, NotExecutedError } from '../limiter/limit-store.ts';

export interface StoreFailure {
  /**
   * An error code of Redis or of the system, for logs. The message is not logged, because it may contain a stored
   * value.
   */
  readonly reason: string;
  /** Whether the failure concerns one key only, while the store itself works. */
  readonly aboutKey: boolean;
}

/** The value stored for an organization has another type or an unknown version, or is not a state. */
export class UnusableStateError extends Error {
  override readonly name = 'UnusableStateError';
}

/** The error code at the beginning of a message of Redis. */
const ERROR_CODE = /^([A-Z]{2,20})( |$)/;
/**
 * If the user of a script has no permission for a command, Redis answers with this text and without the code NOPERM.
 * https://github.com/redis/redis/blob/6.2/src/scripting.c
 */
const FORBIDDEN_IN_SCRIPT = /The user executing the script can't /;

/**
 * Redis 6 wraps the error of a command in a script into an error of the script.
 * https://github.com/redis/redis/blob/6.2/src/scripting.c
 */
const WITHIN_SCRIPT = /^ERR Error running script .*: -([A-Z]{2,20}) /;

/** The slot has no master. All nodes of the cluster may be healthy. */
const SLOT_WITHOUT_MASTER = /^CLUSTERDOWN Hash slot /;

/** Classifies the error of a failed call. */
export function storeFailure(error: unknown): StoreFailure {
  if (!(error instanceof Error)) return { reason: 'unknown', aboutKey: false };
  if (error instanceof DeadlineMissedError) return { reason: 'timeout', aboutKey: false };
  if (error instanceof NotExecutedError) {
    return error.cause === undefined
      ? { reason: 'connection', aboutKey: false }
      : storeFailure(error.cause);
  }
  if (error instanceof UnusableStateError) return { reason: 'state', aboutKey: true };
  // The reply could not be decoded.
  if (error instanceof RangeError || error instanceof TypeError) {
    return { reason: 'reply', aboutKey: false };
  }
  if (error.name === 'ReplyError') {
    if (FORBIDDEN_IN_SCRIPT.test(error.message)) return { reason: 'NOPERM', aboutKey: false };
    if (SLOT_WITHOUT_MASTER.test(error.message)) return { reason: 'CLUSTERDOWN', aboutKey: true };
    const [, code = 'ERR'] =
      WITHIN_SCRIPT.exec(error.message) ?? ERROR_CODE.exec(error.message) ?? [];
    return { reason: code, aboutKey: false };
  }
  if ('lastNodeError' in error && error.lastNodeError instanceof Error) {
    return storeFailure(error.lastNodeError);
  }
  if ('code' in error && typeof error.code === 'string') {
    return { reason: error.code, aboutKey: false };
  }
  return { reason: 'connection', aboutKey: false };
}

/** The same reason is logged at most once in this time. */
const QUIET_MS = 10_000;

/** Logs why calls fail, with duplicates suppressed. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #logged = new LogDeduplicator({ quietMs: QUIET_MS });

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(error: unknown): void {
    const { reason, aboutKey } = storeFailure(error);
    if (!this.#logged.shouldLog(`${reason} ${aboutKey}`)) return;
    this.#logger.warn({ reason }, aboutKey ? keyFailureMessage(reason) : 'the store failed');
  }

  /** The store works again, so the next failure belongs to a new outage and is logged. */
  recovered(): void {
    this.#logged.reset();
  }
}

function keyFailureMessage(reason: string): string {
  return reason === 'CLUSTERDOWN'
    ? 'a slot of the cluster has no master'
    : 'the state of an organization cannot be used';
}
