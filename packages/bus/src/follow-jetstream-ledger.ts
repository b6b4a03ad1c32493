import { randomUUID } from 'node:crypto';
import {
  AckPolicy,
  DeliverPolicy,
  jetstreamManager,
  type ConsumerMessages,
  type JetStreamManager,
  type JsMsg,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { LedgerInterruptedError } from './bus-errors.ts';
import type { JetStreamContext } from './jetstream-context.ts';
import { linesOf } from './ledger-batches.ts';
import type { LedgerFollowing, LedgerMessage, LedgerPosition, LedgerUnread } from './ledger.ts';

/** Messages of at most 192 KiB each, 48 MiB together. A server buffers 64 MiB before it closes a connection. */
const MESSAGES_AT_ONCE = 256;
/** How long the server waits for messages before the client asks again. */
const PULL_MS = 10_000;
const HEARTBEAT_MS = 2_000;
/** The server removes a consumer after this time without a reader. */
const INACTIVE_MS = 30_000;

/** Events of the client after which messages may be missing. */
const INTERRUPTIONS: ReadonlySet<string> = new Set([
  'consumer_deleted',
  'consumer_not_found',
  'heartbeats_missed',
  'no_responders',
  'stream_not_found',
]);

/**
 * Reads a stream in order, without an end. The consumer is temporary, because the reader keeps the position itself. It
 * can then store the position and what it read in one transaction. Throws when messages may have been lost on the way,
 * or when the stream was deleted.
 */
export async function* followJetStreamLedger(
  { bus, connection }: JetStreamContext,
  { stream, after, signal }: LedgerFollowing,
): AsyncGenerator<LedgerMessage, void, void> {
  const manager = await jetstreamManager(connection);
  const found = await manager.streams.info(stream);
  const streamCreated = found.created;
  const resumed = await findPosition(manager, found, after);
  const { name } = await manager.consumers.add(stream, {
    name: `follow-${randomUUID()}`,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: (resumed?.sequence ?? 0) + 1,
    inactive_threshold: nanos(INACTIVE_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  try {
    // A consumer of a stream that was deleted and created again in between would read the wrong stream.
    if ((await manager.streams.info(stream)).created !== streamCreated) {
      throw new LedgerInterruptedError(`the stream ${stream} was created again`);
    }
    const consumer = await manager.jetstream().consumers.get(stream, name);
    const messages = await consumer.consume({
      max_messages: MESSAGES_AT_ONCE,
      expires: PULL_MS,
      idle_heartbeat: HEARTBEAT_MS,
    });
    using _guard = stopWhenInterrupted(messages, { bus, signal });
    let delivered = 0;
    let sequence = resumed?.sequence;
    for await (const message of messages) {
      // After a stop, the client still delivers the messages that it has already received.
      if (signal.aborted) return;
      delivered += 1;
      // The server counts deliveries. A gap means that a message was lost on the way, for example with a connection.
      if (message.info.deliverySequence !== delivered) {
        throw new LedgerInterruptedError(`messages of ${stream} were lost on the way`);
      }
      yield {
        position: { streamCreated, sequence: message.seq, storedAtMs: storedAt(message) },
        records: linesOf(message.data),
        missed: sequence === undefined ? 0 : message.seq - sequence - 1,
      };
      sequence = message.seq;
    }
  } finally {
    if (bus.connected) void manager.consumers.delete(stream, name).catch(() => undefined);
  }
}

/** How much of a stream follows the position that a reader has reached in it. */
export async function jetStreamLedgerUnread(
  { connection }: Pick<JetStreamContext, 'connection'>,
  stream: string,
  after: readonly LedgerPosition[],
): Promise<LedgerUnread> {
  const manager = await jetstreamManager(connection);
  const { state, config, created } = await manager.streams.info(stream);
  const read = after.find(({ streamCreated }) => streamCreated === created)?.sequence ?? 0;
  const first = Math.max(read + 1, state.first_seq);
  const messages = Math.max(0, state.last_seq - first + 1);
  if (messages === 0) return { messages, oldestAtMs: undefined, share: 0 };
  const oldest = await manager.streams.getMessage(stream, { seq: first });
  const oldestAtMs = oldest?.time.getTime() ?? Date.parse(state.first_ts);
  const bytes = (state.bytes * messages) / Math.max(1, state.messages);
  const shareOfBytes = config.max_bytes > 0 ? bytes / config.max_bytes : 0;
  const shareOfAge = config.max_age > 0 ? nanos(Date.now() - oldestAtMs) / config.max_age : 0;
  return { messages, oldestAtMs, share: Math.max(shareOfBytes, shareOfAge) };
}

/**
 * Finds the position in this stream. It is valid if the stream still has its message, or has removed the message
 * because of its age. A stream that was restored from a copy may give the same sequence to another message. Then the
 * position is not valid, and the stream is read from its beginning.
 */
async function findPosition(
  manager: JetStreamManager,
  { config, created, state }: StreamInfo,
  positions: readonly LedgerPosition[],
): Promise<LedgerPosition | undefined> {
  const position = positions.find(({ streamCreated }) => streamCreated === created);
  if (position === undefined) return undefined;
  const { sequence, storedAtMs } = position;
  if (sequence > state.last_seq) return undefined;
  if (sequence < state.first_seq) return position;
  const message = await manager.streams.getMessage(config.name, { seq: sequence });
  return message === null || message.time.getTime() === storedAtMs ? position : undefined;
}

interface GuardOptions {
  readonly bus: JetStreamContext['bus'];
  readonly signal: AbortSignal;
}

function stopWhenInterrupted(
  messages: ConsumerMessages,
  { bus, signal }: GuardOptions,
): Disposable {
  const end = () => messages.stop();
  const interrupt = (reason: string) => messages.stop(new LedgerInterruptedError(reason));
  const removeListener = bus.onDisconnect(() => interrupt('the connection was lost'));
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  else if (!bus.connected) interrupt('the connection was lost');
  const watch = async () => {
    for await (const { type } of messages.status()) {
      if (INTERRUPTIONS.has(type)) interrupt(`the server reported ${type}`);
    }
  };
  void watch();
  return {
    [Symbol.dispose]: () => {
      removeListener();
      signal.removeEventListener('abort', end);
      end();
    },
  };
}

function storedAt({ info }: JsMsg): number {
  return Math.floor(info.timestampNanos / 1_000_000);
}
