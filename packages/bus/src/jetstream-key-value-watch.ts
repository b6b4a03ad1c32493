import { setTimeout as delay } from 'node:timers/promises';
import {
  DeliverPolicy,
  type ConsumerMessages,
  type JetStreamClient,
  type JsMsg,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { Logger } from '@sluice/telemetry';
import type { Bus } from './bus.ts';
import type { KeyValueEntry, KeyValueWatch, KeyValueWatcher } from './key-value.ts';
import { isMissingStream } from './stream-errors.ts';

/** What a watch needs of the store it follows. */
export interface WatchedStore {
  readonly surroundings: { readonly bus: Bus; readonly logger: Logger };
  readonly client: JetStreamClient;
  readonly bucket: string;
  readonly streamName: string;
  /** The subjects of all keys. */
  readonly subjects: string;
  readonly epoch: number;
  /** Learns which store it is; rejects when it is missing. */
  recognize(): Promise<StreamInfo>;
  readEntry(message: JsMsg): KeyValueEntry;
}

const IDLE_HEARTBEAT_MS = 1_000;
const PULL_EXPIRES_MS = 10_000;
const RETRY_MS = 250;

/** Resolves at the first time of being caught up. */
export async function watchKeyValue(
  store: WatchedStore,
  watcher: KeyValueWatcher,
): Promise<KeyValueWatch> {
  const watch = new JetStreamKeyValueWatch(store, watcher);
  await watch.caughtUp;
  return watch;
}

/**
 * Follows a store through one session of delivery after another. A session ends with the connection, with missed
 * heartbeats or with the stream; the next continues after the last change seen, or from the start of another store.
 * A store that is gone is waited for, and what was told of it stays true: whether it is restored or given up is for
 * the operator to say.
 */
class JetStreamKeyValueWatch implements KeyValueWatch {
  readonly caughtUp: Promise<void>;
  readonly #store: WatchedStore;
  readonly #watcher: KeyValueWatcher;
  readonly #firstCatchUp = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #epoch: number | undefined;
  #lastSeen = 0;
  #live = false;
  #missing = false;

  constructor(store: WatchedStore, watcher: KeyValueWatcher) {
    this.#store = store;
    this.#watcher = watcher;
    this.caughtUp = this.#firstCatchUp.promise;
    this.#ended = this.#follow();
  }

  get live(): boolean {
    return this.#live;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #follow(): Promise<void> {
    const { bus } = this.#store.surroundings;
    const { signal } = this.#stop;
    while (!this.#stopped()) {
      try {
        if (bus.connected) await this.#session();
      } catch (error) {
        if (!this.#stopped()) this.#report(error);
      }
      this.#live = false;
      // The reason the wait ends early is the stop alone.
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #report(error: unknown): void {
    const { bucket, streamName, surroundings } = this.#store;
    const { logger } = surroundings;
    if (!isMissingStream(error)) {
      logger.warn({ err: error, stream: streamName }, 'the watch of a store was interrupted');
    } else if (!this.#missing) {
      this.#missing = true;
      logger.error(
        { bucket },
        'the bucket is gone: restore it, or restart this service to begin with an empty one',
      );
    }
  }

  #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #session(): Promise<void> {
    const { bus, logger } = this.#store.surroundings;
    const info = await this.#store.recognize();
    if (this.#missing) logger.info({ bucket: this.#store.bucket }, 'the bucket is back');
    this.#missing = false;
    this.#adopt(this.#store.epoch, info.state.last_seq);
    const consumer = await this.#store.client.consumers.get(
      this.#store.streamName,
      this.#lastSeen === 0
        ? { deliver_policy: DeliverPolicy.LastPerSubject, filter_subjects: this.#store.subjects }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: this.#lastSeen + 1 },
    );
    if (this.#stopped()) return;
    const { num_pending: pending } = await consumer.info(true);
    const messages = await consumer.consume({
      idle_heartbeat: IDLE_HEARTBEAT_MS,
      expires: PULL_EXPIRES_MS,
      max_messages: 500,
      abort_on_missing_resource: true,
      callback: (message) => this.#take(message),
    });
    const end = () => messages.stop();
    this.#stop.signal.addEventListener('abort', end, { once: true });
    const stopListening = bus.onDisconnect(end);
    try {
      if (pending === 0) this.#catchUp(info.state.last_seq);
      if (this.#stopped() || !bus.connected) end();
      const failure = await Promise.race([messages.closed(), endOfHeartbeats(messages)]);
      if (failure instanceof Error) throw failure;
    } finally {
      end();
      stopListening();
      this.#stop.signal.removeEventListener('abort', end);
    }
  }

  /** A store that ends before what was seen of it has lost its last changes, and is another one too. */
  #adopt(epoch: number, lastSequence: number): void {
    if (this.#epoch !== undefined && (this.#epoch !== epoch || lastSequence < this.#lastSeen)) {
      this.#lastSeen = 0;
      this.#watcher.onReset(epoch);
    }
    this.#epoch = epoch;
  }

  #take(message: JsMsg): void {
    if (message.seq <= this.#lastSeen) return;
    this.#watcher.onEntry(this.#store.readEntry(message));
    this.#lastSeen = message.seq;
    if (message.info.pending === 0) this.#catchUp(message.seq);
  }

  #catchUp(sequence: number): void {
    this.#lastSeen = Math.max(this.#lastSeen, sequence);
    this.#live = true;
    this.#watcher.onCaughtUp(this.#lastSeen);
    this.#firstCatchUp.resolve();
  }
}

/** Resolves when the stream's server has gone silent. */
async function endOfHeartbeats(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) {
    if (
      type === 'heartbeats_missed' ||
      type === 'stream_not_found' ||
      type === 'consumer_deleted'
    ) {
      return;
    }
  }
}
