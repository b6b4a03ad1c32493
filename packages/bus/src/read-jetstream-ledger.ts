import {
  DeliverPolicy,
  jetstream,
  jetstreamManager,
  type JetStreamManager,
  type JsMsg,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { BusTimeoutError } from './bus-errors.ts';
import { linesOf } from './ledger-batches.ts';
import type { LedgerExtent, LedgerQuery, StoredRecord } from './ledger.ts';
import { isMissingStream } from './stream-errors.ts';

/** After this time without a message, the reading fails. */
const SILENCE_MS = 10_000;
/**
 * Messages of at most 192 KiB each, 24 MiB together. A server buffers 64 MiB before it closes a connection.
 */
const MESSAGES_AT_ONCE = 128;

/** All records stored at the time of the call, in order. A stream that does not exist yet is treated as empty. */
export async function* readJetStreamLedger(
  connection: NatsConnection,
  { stream, subjects, sinceMs }: LedgerQuery,
): AsyncGenerator<StoredRecord, void, void> {
  const client = jetstream(connection);
  const found = await infoOf(await client.jetstreamManager(), stream);
  const lastSequence = found?.state.last_seq ?? 0;
  if (lastSequence === 0) return;
  const consumer = await client.consumers.get(stream, {
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: new Date(Math.max(0, sinceMs)).toISOString(),
    filter_subjects: subjects,
  });
  try {
    const { num_pending: pending } = await consumer.info(true);
    if (pending === 0) return;
    const messages = await consumer.consume({ max_messages: MESSAGES_AT_ONCE });
    let arrivedAt = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - arrivedAt >= SILENCE_MS) messages.stop(new BusTimeoutError(stream));
    }, SILENCE_MS / 10);
    try {
      for await (const message of messages) {
        arrivedAt = performance.now();
        if (message.seq <= lastSequence) yield* storedRecords(message);
        if (message.seq >= lastSequence || message.info.pending === 0) return;
      }
    } finally {
      clearInterval(watch);
      messages.stop();
    }
  } finally {
    await consumer.delete().catch(() => undefined);
  }
}

export async function jetStreamLedgerExtent(
  connection: NatsConnection,
  stream: string,
): Promise<LedgerExtent> {
  const found = await infoOf(await jetstreamManager(connection), stream);
  if (found === undefined) return { exists: false, beginsAtMs: undefined, madeAtMs: undefined };
  return { exists: true, beginsAtMs: beginningOf(found), madeAtMs: Date.parse(found.created) };
}

function beginningOf({ state }: StreamInfo): number | undefined {
  const { first_seq: first, first_ts: firstAt, last_ts: lastAt, messages } = state;
  if (first <= 1) return undefined;
  // If the stream has become empty, all records up to the last one were removed.
  return Date.parse(messages === 0 ? lastAt : firstAt);
}

async function infoOf(manager: JetStreamManager, stream: string): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (isMissingStream(error)) return undefined;
    throw error;
  }
}

function storedRecords({ data, info }: JsMsg): StoredRecord[] {
  const storedAtMs = info.timestampNanos / 1_000_000;
  return linesOf(data).map((text) => ({ text, storedAtMs }));
}
