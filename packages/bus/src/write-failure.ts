import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import { RequestError, TimeoutError } from '@nats-io/transport-node';
import {
  BusNoRespondersError,
  BusTimeoutError,
  KeyValueConflictError,
  KeyValueRefusedError,
} from './bus-errors.ts';
import { isForbidden, reasonOf } from './stream-errors.ts';

export interface AttemptedWrite {
  readonly subject: string;
  readonly expectedLastSequence: number;
}

/** Converts an error of the client into the error that a write of the store reports. */
export function writeFailure(
  cause: unknown,
  { subject, expectedLastSequence }: AttemptedWrite,
): unknown {
  if (cause instanceof TimeoutError) return new BusTimeoutError(subject, { cause });
  if (isLeaderless(cause)) return new BusNoRespondersError(subject, { cause });
  if (isForbidden(cause)) return new KeyValueRefusedError(reasonOf(cause), { cause });
  if (!(cause instanceof JetStreamApiError)) return cause;
  if (WRONG_SEQUENCE.has(cause.code)) {
    return new KeyValueConflictError(expectedLastSequence, { cause });
  }
  // Errors of the server about its streams contain no record content.
  return new KeyValueRefusedError(cause.message, { cause });
}

const WRONG_SEQUENCE: ReadonlySet<number> = new Set([
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
]);

/** Whether the write failed only because the store has no leader at the moment. */
function isLeaderless(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The leader has just changed. The server has no error code for this case.
  if (error instanceof JetStreamApiError && error.message.startsWith('raft: ')) return true;
  // The client reports this as a server without the store. Here it means that a leader is being elected.
  return error.cause instanceof RequestError && error.cause.isNoResponders();
}
