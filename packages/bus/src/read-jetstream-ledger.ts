import { DeliverPolicy, jetstream, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { BusTimeoutError } from './bus-errors.ts';
import { linesOf } from './ledger-batches.ts';
import type { LedgerQuery, StoredRecord } from './ledger.ts';
import { isMissingStream } from './stream-errors.ts';

const SILENCE_MS = 10_000;
/** Of 192 KiB at most: far less than the 64 MiB that may wait for a connection before its server cuts it off. */
const MESSAGES_AT_ONCE = 128;

/** Everything that is stored at the moment of asking, in order. A stream that nobody made yet is empty. */
export async function* readJetStreamLedger(
  connection: NatsConnection,
  { stream, subjects, sinceMs }: LedgerQuery,
): AsyncGenerator<StoredRecord, void, void> {
  const client = jetstream(connection);
  const manager = await client.jetstreamManager();
  const lastSequence = await manager.streams.info(stream).then(
    ({ state }) => state.last_seq,
    (error: unknown) => {
      if (isMissingStream(error)) return 0;
      throw error;
    },
  );
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
    let heardAt = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - heardAt >= SILENCE_MS) messages.stop(new BusTimeoutError(stream));
    }, SILENCE_MS / 10);
    try {
      for await (const message of messages) {
        heardAt = performance.now();
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

function storedRecords({ subject, data, info }: JsMsg): StoredRecord[] {
  const storedAtMs = info.timestampNanos / 1_000_000;
  return linesOf(data).map((text) => ({ subject, text, storedAtMs }));
}
