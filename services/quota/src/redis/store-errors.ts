import { DeadlineMissedError, NothingRanError } from '../domain/ledger.ts';

export interface StoreFailure {
  /** A word for a log line: a code of Redis or of the system, never its text, which may quote a value. */
  readonly reason: string;
  /** It is about one key: the store itself works. */
  readonly aboutKey: boolean;
}

/** What is kept for an organization is of another type, of an unknown version, or no state at all. */
export class UnusableStateError extends Error {
  override readonly name = 'UnusableStateError';
}

const PREFIX = /^([A-Z]{2,20})( |$)/;
/** Of a command that the user may not run, Redis has another code within a script. */
const FORBIDDEN_IN_SCRIPT = /The user executing the script can't /;

/** Redis 6 wraps what a command of a script was answered into an error of its own. */
const WITHIN_SCRIPT = /^ERR Error running script .*: -([A-Z]{2,20}) /;

/** Of a cluster: the node that was asked is well, and so may be all the others. */
const SLOT_WITHOUT_NODE = /^CLUSTERDOWN Hash slot /;

/** What a failed call of the script tells about the store. */
export function storeFailure(error: unknown): StoreFailure {
  if (!(error instanceof Error)) return { reason: 'unknown', aboutKey: false };
  if (error instanceof DeadlineMissedError) return { reason: 'timeout', aboutKey: false };
  if (error instanceof NothingRanError) {
    return error.cause === undefined
      ? { reason: 'connection', aboutKey: false }
      : storeFailure(error.cause);
  }
  if (error instanceof UnusableStateError) return { reason: 'state', aboutKey: true };
  // The reply itself could not be read.
  if (error instanceof RangeError || error instanceof TypeError) {
    return { reason: 'reply', aboutKey: false };
  }
  if (error.name === 'ReplyError') {
    if (FORBIDDEN_IN_SCRIPT.test(error.message)) return { reason: 'NOPERM', aboutKey: false };
    if (SLOT_WITHOUT_NODE.test(error.message)) return { reason: 'CLUSTERDOWN', aboutKey: true };
    const [, code = 'ERR'] = WITHIN_SCRIPT.exec(error.message) ?? PREFIX.exec(error.message) ?? [];
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
