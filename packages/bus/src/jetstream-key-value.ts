import { setTimeout as delay } from 'node:timers/promises';
import {
  DeliverPolicy,
  jetstream,
  type JetStreamClient,
  type JsMsg,
  type StreamInfo,
} from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { ConfigurationError, LogDeduplicator } from '@sluice/service';
import { BusDisconnectedError, BusTimeoutError } from './bus-errors.ts';
import type { JetStreamContext } from './jetstream-context.ts';
import { findDamaged } from './jetstream-key-value-damage.ts';
import { watchKeyValue, type WatchedStore } from './jetstream-key-value-watch.ts';
import { decodeKey, encodeKey } from './key-encoding.ts';
import type {
  ChangeRange,
  DamagedRecords,
  KeyValueEntry,
  KeyValueOptions,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatcher,
  StoreEnd,
  WriteOptions,
} from './key-value.ts';
import { readableRange, type StoredSize } from './readable-together.ts';
import { isImpossibleStream, reasonOf, requireCluster } from './stream-errors.ts';
import { writeFailure } from './write-failure.ts';

const OPERATION_HEADER = 'KV-Operation';
/** A message with this header replaces all earlier ones of its subject. The client purges a key in this way. */
const ROLLUP_HEADER = 'Nats-Rollup';
const ROLLUP_OF_SUBJECT = 'sub';
/** Stored in the stream's metadata, so that every client reads the same epoch. */
const EPOCH_METADATA = 'sluice-epoch';
const WRITE_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 5_000;
const OPEN_RETRY_MS = 500;
/** The header with the payload size, for a message that is delivered without its payload. */
const SIZE_HEADER = 'Nats-Msg-Size';

/**
 * Opens a store. It retries without a limit, unless the server can never provide the store. JetStream may be ready
 * later than its server, for example in a cluster that must first elect a leader.
 */
export async function openJetStreamKeyValue(
  context: JetStreamContext,
  options: KeyValueOptions,
): Promise<KeyValueStore> {
  const { connection, logger } = context;
  const store = new JetStreamKeyValue(context, options);
  const logged = new LogDeduplicator();
  for (;;) {
    try {
      await store.create();
      return store;
    } catch (error) {
      if (connection.isClosed()) throw error;
      const reason = reasonOf(error);
      if (isImpossibleStream(error)) {
        const { bucket, replicas, history = 1 } = options;
        throw new ConfigurationError(
          `this NATS cannot keep the bucket ${bucket} with ${replicas} replicas and a history of ${history}: ${reason}`,
          { cause: error },
        );
      }
      if (logged.shouldLog(reason)) {
        logger.warn({ reason, bucket: store.bucket }, 'waiting for JetStream to open the bucket');
      }
    }
    await delay(OPEN_RETRY_MS);
  }
}

class JetStreamKeyValue implements KeyValueStore, WatchedStore {
  readonly context: JetStreamContext;
  readonly client: JetStreamClient;
  readonly #options: KeyValueOptions;
  #epoch = 0;

  constructor(context: JetStreamContext, options: KeyValueOptions) {
    this.context = context;
    this.#options = options;
    this.client = jetstream(context.connection, { timeout: WRITE_TIMEOUT_MS });
  }

  get epoch(): number {
    return this.#epoch;
  }

  get bucket(): string {
    return this.#options.bucket;
  }

  get streamName(): string {
    return `KV_${this.bucket}`;
  }

  /** Creates the store if it is missing. Called only when the store is opened, never later: see `recognize`. */
  async create(): Promise<void> {
    const { bucket, replicas, history = 1, description } = this.#options;
    await new Kvm(this.client).create(bucket, {
      replicas,
      history,
      // Only the leader answers reads. Another replica may not have the latest writes yet.
      allow_direct: false,
      ...(description === undefined ? {} : { description }),
    });
    await this.recognize();
  }

  /**
   * Reads the epoch of the store, and sets its replicas and history to the requested values. Rejects if the store is
   * missing. An empty store in place of a lost one would make every service discard its entries.
   */
  async recognize(): Promise<StreamInfo> {
    const { replicas, history = 1 } = this.#options;
    const manager = await this.client.jetstreamManager();
    let info = await manager.streams.info(this.streamName);
    requireCluster(info, replicas);
    const wanted = { num_replicas: replicas, max_msgs_per_subject: history };
    const { num_replicas, max_msgs_per_subject } = info.config;
    if (num_replicas !== replicas || max_msgs_per_subject !== history) {
      info = await manager.streams.update(this.streamName, wanted);
    }
    this.#epoch = epochOf(info);
    return info;
  }

  async renew(epoch: number): Promise<void> {
    const manager = await this.client.jetstreamManager();
    let info = await manager.streams.info(this.streamName);
    // Another service may have set a newer epoch since this one read it.
    if (epochOf(info) < epoch) {
      const metadata = { ...info.config.metadata, [EPOCH_METADATA]: String(epoch) };
      info = await manager.streams.update(this.streamName, { metadata });
    }
    this.#epoch = epochOf(info);
    this.context.logger.warn(
      { bucket: this.bucket, epoch: this.#epoch },
      'the bucket is an older copy: its epoch is new',
    );
  }

  async storedAt(sequence: number): Promise<number | undefined> {
    const manager = await this.client.jetstreamManager();
    const message = await manager.streams.getMessage(this.streamName, { seq: sequence });
    return message?.time.getTime();
  }

  async hasChangeAfter(sequence: number): Promise<boolean> {
    const manager = await this.client.jetstreamManager();
    const query = { seq: sequence + 1, next_by_subj: this.subjects };
    return (await manager.streams.getMessage(this.streamName, query)) !== null;
  }

  get skipDamaged(): boolean {
    return this.#options.skipDamaged ?? false;
  }

  async damaged(received: ReadonlyMap<string, number>): Promise<DamagedRecords> {
    const manager = await this.client.jetstreamManager();
    return findDamaged(manager, {
      streamName: this.streamName,
      subjects: this.subjects,
      received,
      keyOf: (subject) => decodeKey(subject.slice(this.#subjectOf('').length)),
    });
  }

  async end(): Promise<StoreEnd> {
    this.#requireConnection();
    const manager = await this.client.jetstreamManager();
    const info = await manager.streams.info(this.streamName);
    return { epoch: epochOf(info), sequence: info.state.last_seq };
  }

  /**
   * Writes a value if the last sequence of the whole store is the expected one. The `put` of the client compares only
   * the sequence of one key.
   */
  async put(
    key: string,
    value: Uint8Array,
    { expectedLastSequence, replacesHistory = false }: WriteOptions,
  ): Promise<number> {
    this.#requireConnection();
    const subject = this.#subjectOf(encodeKey(key));
    const replacing = headers();
    replacing.set(ROLLUP_HEADER, ROLLUP_OF_SUBJECT);
    try {
      const { seq } = await this.client.publish(subject, value, {
        timeout: WRITE_TIMEOUT_MS,
        ...(replacesHistory && { headers: replacing }),
        expect: { streamName: this.streamName, lastSequence: expectedLastSequence },
      });
      return seq;
    } catch (cause) {
      throw writeFailure(cause, { subject, expectedLastSequence });
    }
  }

  /**
   * Reads the range in parts. A part must fit into the data that the server buffers for one connection: above that
   * limit the server closes the connection.
   */
  async changes({ from, to }: ChangeRange): Promise<KeyValueEntry[]> {
    this.#requireConnection();
    const sizes: StoredSize[] = [];
    for (const { seq, headers } of await this.#fetch(
      { from, to },
      { max: to - from + 1, headersOnly: true },
    )) {
      sizes.push({ sequence: seq, bytes: Number(headers?.get(SIZE_HEADER) ?? 0) });
    }
    const entries: KeyValueEntry[] = [];
    for (const { range, count } of readableRange(sizes)) {
      const messages = await this.#fetch(range, { max: count, headersOnly: false });
      entries.push(...messages.map((message) => this.readEntry(message)));
    }
    return entries;
  }

  /** The first messages of a range, at most `max`. */
  async #fetch(
    { from, to }: ChangeRange,
    { max, headersOnly }: { max: number; headersOnly: boolean },
  ): Promise<JsMsg[]> {
    const consumer = await this.client.consumers.get(this.streamName, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
      headers_only: headersOnly,
    });
    try {
      const { num_pending: pending } = await consumer.info(true);
      // Asks for no more messages than there are, so that the fetch does not wait for new ones.
      const expected = Math.min(pending, max);
      if (expected <= 0) return [];
      const received: JsMsg[] = [];
      const messages = await consumer.fetch({ max_messages: expected, expires: READ_TIMEOUT_MS });
      for await (const message of messages) received.push(message);
      if (received.length < expected) throw new BusTimeoutError(this.streamName);
      return received.filter(({ seq }) => seq <= to);
    } finally {
      await consumer.delete();
    }
  }

  watch(watcher: KeyValueWatcher): Promise<KeyValueWatch> {
    return watchKeyValue(this, watcher);
  }

  /** The subject pattern that matches all keys. */
  get subjects(): string {
    return this.#subjectOf('>');
  }

  /** The key and value of a stored message. */
  readEntry(message: {
    subject: string;
    headers?: MsgHdrs | undefined;
    data: Uint8Array;
    seq: number;
  }): KeyValueEntry {
    const deleted = (message.headers?.get(OPERATION_HEADER) ?? '') !== '';
    return {
      key: decodeKey(message.subject.slice(this.#subjectOf('').length)),
      value: deleted ? undefined : message.data,
      sequence: message.seq,
    };
  }

  #subjectOf(encodedKey: string): string {
    return `$KV.${this.bucket}.${encodedKey}`;
  }

  #requireConnection(): void {
    if (!this.context.bus.connected) throw new BusDisconnectedError();
  }
}

/** The epoch of a store: its creation time, or the number that was set after an older copy was restored. */
function epochOf({ created, config }: StreamInfo): number {
  const renewed = Number(config.metadata?.[EPOCH_METADATA] ?? 0);
  return Math.max(Date.parse(created), Number.isSafeInteger(renewed) ? renewed : 0);
}
