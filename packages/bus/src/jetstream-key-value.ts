import { setTimeout as delay } from 'node:timers/promises';
import {
  DeliverPolicy,
  jetstream,
  type JetStreamClient,
  type JsMsg,
  type StreamInfo,
} from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { MsgHdrs } from '@nats-io/transport-node';
import { ConfigurationError } from '@sluice/host';
import { LogDeduplicator } from '@sluice/telemetry';
import { BusDisconnectedError, BusTimeoutError } from './bus-errors.ts';
import { findDamaged } from './jetstream-key-value-damage.ts';
import { watchKeyValue, type WatchedStore } from './jetstream-key-value-watch.ts';
import type { JetStreamSurroundings } from './jetstream-surroundings.ts';
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
import { readableTogether, type StoredSize } from './readable-together.ts';
import { isImpossibleStream, reasonOf, requireCluster } from './stream-errors.ts';
import { writeFailure } from './write-failure.ts';

const OPERATION_HEADER = 'KV-Operation';
/** Kept with the stream itself, so that everybody learns of it by asking which store it is. */
const EPOCH_METADATA = 'sluice-epoch';
const WRITE_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 5_000;
const OPEN_RETRY_MS = 500;
/** Tells of a message that comes without its payload how long that is. */
const SIZE_HEADER = 'Nats-Msg-Size';

/**
 * Keeps trying as the first connection does, unless the store can never be: JetStream may be ready later than its
 * server, above all in a cluster that has to elect a leader.
 */
export async function openJetStreamKeyValue(
  surroundings: JetStreamSurroundings,
  options: KeyValueOptions,
): Promise<KeyValueStore> {
  const { connection, logger } = surroundings;
  const store = new JetStreamKeyValue(surroundings, options);
  const said = new LogDeduplicator();
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
      if (said.shouldLog(reason)) {
        logger.warn({ reason, bucket: store.bucket }, 'waiting for JetStream to open the bucket');
      }
    }
    await delay(OPEN_RETRY_MS);
  }
}

class JetStreamKeyValue implements KeyValueStore, WatchedStore {
  readonly surroundings: JetStreamSurroundings;
  readonly client: JetStreamClient;
  readonly #options: KeyValueOptions;
  #epoch = 0;

  constructor(surroundings: JetStreamSurroundings, options: KeyValueOptions) {
    this.surroundings = surroundings;
    this.#options = options;
    this.client = jetstream(surroundings.connection, { timeout: WRITE_TIMEOUT_MS });
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

  /** Creates the store if it is missing. Done when it is opened and never later: see `recognize`. */
  async create(): Promise<void> {
    const { bucket, replicas, history = 1, description } = this.#options;
    await new Kvm(this.client).create(bucket, {
      replicas,
      history,
      // Read from the leader alone: another replica may lag behind what was just written.
      allow_direct: false,
      ...(description === undefined ? {} : { description }),
    });
    await this.recognize();
  }

  /**
   * Learns which store it is, and gives it the shape that was asked for. Rejects when it is missing: an empty one
   * in the place of one that was lost would make everybody forget what they know.
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
    // Somebody who knew more may have been here since it was recognized.
    if (epochOf(info) < epoch) {
      const metadata = { ...info.config.metadata, [EPOCH_METADATA]: String(epoch) };
      info = await manager.streams.update(this.streamName, { metadata });
    }
    this.#epoch = epochOf(info);
    this.surroundings.logger.warn(
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

  /** The client's own put compares the sequence of one key; this compares that of the whole store. */
  async put(
    key: string,
    value: Uint8Array,
    { expectedLastSequence }: WriteOptions,
  ): Promise<number> {
    this.#requireConnection();
    const subject = this.#subjectOf(encodeKey(key));
    try {
      const { seq } = await this.client.publish(subject, value, {
        timeout: WRITE_TIMEOUT_MS,
        expect: { streamName: this.streamName, lastSequence: expectedLastSequence },
      });
      return seq;
    } catch (cause) {
      throw writeFailure(cause, { subject, expectedLastSequence });
    }
  }

  /** What is asked for at once has to fit into what the server holds for one connection: it cuts off who has more. */
  async changes({ from, to }: ChangeRange): Promise<KeyValueEntry[]> {
    this.#requireConnection();
    const sizes: StoredSize[] = [];
    for (const { seq, headers } of await this.#fetch({ from, to }, to - from + 1, true)) {
      sizes.push({ sequence: seq, bytes: Number(headers?.get(SIZE_HEADER) ?? 0) });
    }
    const entries: KeyValueEntry[] = [];
    for (const { range, count } of readableTogether(sizes)) {
      const messages = await this.#fetch(range, count, false);
      entries.push(...messages.map((message) => this.readEntry(message)));
    }
    return entries;
  }

  /** The first so many messages of a range. */
  async #fetch({ from, to }: ChangeRange, most: number, headersOnly: boolean): Promise<JsMsg[]> {
    const consumer = await this.client.consumers.get(this.streamName, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
      headers_only: headersOnly,
    });
    try {
      const { num_pending: pending } = await consumer.info(true);
      // Asking for no more than there is, so that the answer waits for nothing.
      const expected = Math.min(pending, most);
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

  /** The subjects of all keys. */
  get subjects(): string {
    return this.#subjectOf('>');
  }

  /** A stored message's key and value. */
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
    if (!this.surroundings.bus.connected) throw new BusDisconnectedError();
  }
}

/** When it was made, unless it was renewed since. */
function epochOf({ created, config }: StreamInfo): number {
  const renewed = Number(config.metadata?.[EPOCH_METADATA] ?? 0);
  return Math.max(Date.parse(created), Number.isSafeInteger(renewed) ? renewed : 0);
}
