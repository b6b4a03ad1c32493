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

/** What it means for a write of the store that the client threw this. */
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
  // What a server says of its streams quotes no content.
  return new KeyValueRefusedError(cause.message, { cause });
}

const WRONG_SEQUENCE: ReadonlySet<number> = new Set([
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
]);

/** Nobody can take it at this moment: it is not refused. */
function isLeaderless(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Its leader has just changed. The server has no number for it.
  if (error instanceof JetStreamApiError && error.message.startsWith('raft: ')) return true;
  // What the client takes for a server without a store is, here, one whose leader is being elected.
  return error.cause instanceof RequestError && error.cause.isNoResponders();
}
