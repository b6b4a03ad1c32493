import { setTimeout as delay } from 'node:timers/promises';
import {
  DeliverPolicy,
  type ConsumerMessages,
  type JetStreamClient,
  type JsMsg,
  type StreamInfo,
} from '@nats-io/jetstream';
import { LogDeduplicator, type Logger } from '@sluice/service';
import type { Bus } from './bus.ts';
import {
  KeyValueDamagedError,
  type DamagedRecords,
  type KeyValueEntry,
  type KeyValueWatch,
  type KeyValueWatcher,
  type StoreEnd,
} from './key-value.ts';
import { isMissingStream, reasonOf } from './stream-errors.ts';
import { superviseDelivery } from './supervise-delivery.ts';

/** The parts of the store that a watch needs. */
export interface WatchedStore {
  readonly context: { readonly bus: Bus; readonly logger: Logger };
  readonly client: JetStreamClient;
  readonly bucket: string;
  readonly streamName: string;
  /** The subject pattern that matches all keys. */
  readonly subjects: string;
  readonly epoch: number;
  /** Reads the epoch of the store. Rejects if the store is missing. */
  recognize(): Promise<StreamInfo>;
  /** Gives an older copy of the store a new epoch, since its sequences will be assigned again. */
  renew(epoch: number): Promise<void>;
  end(): Promise<StoreEnd>;
  /** When the change with this sequence was stored, in milliseconds. Undefined if it is no longer kept. */
  storedAt(sequence: number): Promise<number | undefined>;
  /** Asks the leader, which has every change. */
  hasChangeAfter(sequence: number): Promise<boolean>;
  readEntry(message: JsMsg): KeyValueEntry;
  readonly skipDamaged: boolean;
  /** The records that the server cannot read, given the last delivered sequence of each subject. */
  damaged(received: ReadonlyMap<string, number>): Promise<DamagedRecords>;
}

const IDLE_HEARTBEAT_MS = 1_000;
const PULL_EXPIRES_MS = 10_000;
const RETRY_MS = 250;
/** The client rounds the time of a delivered message differently from the time of a message read by its sequence. */
const CLOCK_ROUNDING_MS = 1;
/** After this time without progress, an incomplete delivery is checked for damaged records. */
const STALL_MS = 2_000;

/** How many messages the client requests ahead. */
const MESSAGES_AHEAD = 500;

/** One period of delivery, from subscribing until it ends. */
interface Session {
  /** The last sequence when the session began, as the leader reported it. */
  readonly endAtStart: number;
  readonly subjectsAtStart: number;
  /** Ends the session. Without a reason, the session was stopped on purpose. */
  readonly end: (reason?: Error) => void;
  isOver: boolean;
  failure?: Error | undefined;
}

/** Resolves when the watch has caught up for the first time. */
export async function watchKeyValue(
  store: WatchedStore,
  watcher: KeyValueWatcher,
): Promise<KeyValueWatch> {
  const watch = new JetStreamKeyValueWatch(store, watcher);
  try {
    await watch.caughtUp;
  } catch (error) {
    await watch[Symbol.asyncDispose]();
    throw error;
  }
  return watch;
}

/**
 * Follows a store through consecutive sessions of delivery. A session ends when the connection is lost, heartbeats are
 * missed, or the stream is deleted. The next session continues after the last change seen, or from the start if the
 * store is a different one. If the store is missing, the watch waits and keeps the entries delivered so far: the
 * operator decides whether to restore the store or to start with an empty one.
 */
class JetStreamKeyValueWatch implements KeyValueWatch {
  readonly caughtUp: Promise<void>;
  readonly #store: WatchedStore;
  readonly #watcher: KeyValueWatcher;
  readonly #firstCatchUp = Promise.withResolvers<void>();
  /** The last sequence of each subject, until the watch has caught up for the first time. */
  #received: Map<string, number> | undefined = new Map();
  readonly #skipped = new Set<string>();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #epoch: number | undefined;
  #lastSeen = 0;
  #lastChange: { readonly sequence: number; readonly storedAt: number } | undefined;
  #live = false;
  #missing = false;
  /** Deduplicates the reasons for a failed session, which is retried several times a second. */
  readonly #logged = new LogDeduplicator();

  constructor(store: WatchedStore, watcher: KeyValueWatcher) {
    this.#store = store;
    this.#watcher = watcher;
    this.caughtUp = this.#firstCatchUp.promise;
    this.#ended = this.#follow();
  }

  get live(): boolean {
    return this.#live;
  }

  get skipped(): readonly string[] {
    return Array.from(this.#skipped);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #follow(): Promise<void> {
    const { bus } = this.#store.context;
    const { signal } = this.#stop;
    while (!this.#stopped()) {
      try {
        if (bus.connected) await this.#session();
      } catch (error) {
        if (!this.#stopped()) this.#report(error);
      }
      this.#live = false;
      // The wait rejects only when the watch is stopped.
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #report(error: unknown): void {
    const { bucket, streamName, context } = this.#store;
    const { logger } = context;
    if (!isMissingStream(error)) {
      const reason = reasonOf(error);
      if (!this.#logged.shouldLog(reason)) return;
      logger.warn(
        { reason, err: error, stream: streamName },
        'the watch of a store was interrupted; still trying',
      );
    } else if (!this.#missing) {
      this.#missing = true;
      logger.error(
        { bucket },
        'the bucket is missing: restore it, or restart this service to begin with an empty one',
      );
    }
  }

  #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #session(): Promise<void> {
    const { bus, logger } = this.#store.context;
    const info = await this.#store.recognize();
    if (this.#missing) logger.info({ bucket: this.#store.bucket }, 'the bucket exists again');
    this.#missing = false;
    await this.#adopt(info.state.last_seq);
    const consumer = await this.#store.client.consumers.get(
      this.#store.streamName,
      this.#lastSeen === 0
        ? { deliver_policy: DeliverPolicy.LastPerSubject, filter_subjects: this.#store.subjects }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: this.#lastSeen + 1 },
    );
    if (this.#stopped()) return;
    const { num_pending: pending } = await consumer.info(true);
    const session: Session = {
      endAtStart: info.state.last_seq,
      subjectsAtStart: info.state.num_subjects ?? 0,
      isOver: false,
      end: (reason) => {
        session.failure ??= reason;
        session.isOver = true;
        messages.stop();
      },
    };
    const messages = await consumer.consume({
      idle_heartbeat: IDLE_HEARTBEAT_MS,
      expires: PULL_EXPIRES_MS,
      max_messages: MESSAGES_AHEAD,
      abort_on_missing_resource: true,
      callback: (message) => {
        this.#receive(message);
        if (message.info.pending === 0) this.#allDelivered(session);
      },
    });
    const end = () => session.end();
    this.#stop.signal.addEventListener('abort', end, { once: true });
    const stopListening = bus.onDisconnect(end);
    using _supervision = superviseDelivery({
      end: () => this.#store.end(),
      epoch: this.#store.epoch,
      lastSeen: () => this.#lastSeen,
      giveUp: session.end,
    });
    using _stalls = this.#watchForStall(session);
    try {
      if (pending === 0) this.#allDelivered(session);
      if (this.#stopped() || !bus.connected) end();
      const failure = await Promise.race([messages.closed(), endOfHeartbeats(messages)]);
      if (failure instanceof Error) throw failure;
      if (session.failure !== undefined) throw session.failure;
    } finally {
      end();
      stopListening();
      this.#stop.signal.removeEventListener('abort', end);
    }
  }

  /** An older copy of the store has lost its last changes, and is treated as a different store. */
  async #adopt(lastSequence: number): Promise<void> {
    const store = this.#store;
    const known = this.#epoch;
    const isOlder = known !== undefined && (await this.#isOlder(known, lastSequence));
    // All watches of the same epoch compute the same new number, so renewing it twice changes nothing.
    if (isOlder) await store.renew(known + 1);
    if (isOlder || (known !== undefined && store.epoch !== known)) {
      this.#lastSeen = 0;
      this.#lastChange = undefined;
      this.#received = new Map();
      this.#skipped.clear();
      this.#watcher.onReset(store.epoch);
    }
    this.#epoch = store.epoch;
  }

  /**
   * The store is an older copy if it ends before the last change seen. It is also an older copy if another change has
   * that sequence, because the copy was written to since.
   */
  async #isOlder(known: number, lastSequence: number): Promise<boolean> {
    const { epoch } = this.#store;
    if (epoch !== known) return epoch < known;
    if (lastSequence < this.#lastSeen) return true;
    if (this.#lastChange === undefined) return false;
    const storedAt = await this.#store.storedAt(this.#lastChange.sequence);
    return (
      storedAt !== undefined && Math.abs(storedAt - this.#lastChange.storedAt) > CLOCK_ROUNDING_MS
    );
  }

  #receive(message: JsMsg): void {
    if (message.seq <= this.#lastSeen) return;
    const entry = this.#store.readEntry(message);
    this.#watcher.onEntry(entry);
    this.#received?.set(message.subject, message.seq);
    this.#skipped.delete(entry.key);
    this.#lastSeen = message.seq;
    this.#lastChange = { sequence: message.seq, storedAt: message.time.getTime() };
  }

  /** The consumer has delivered every message that it knows of. The leader's last sequence shows whether more exist. */
  #allDelivered(session: Session): void {
    if (this.#lastSeen >= session.endAtStart) this.#checkCompleteness(session, this.#lastSeen);
    else void this.#checkForLag(session).catch(session.end);
  }

  /**
   * Either other tools have removed the last changes, or the consumer is on a replica that does not have them yet and
   * will deliver them. The leader knows which.
   */
  async #checkForLag(session: Session): Promise<void> {
    const isLagging = await this.#store.hasChangeAfter(this.#lastSeen);
    if (!isLagging && !session.isOver) this.#checkCompleteness(session, session.endAtStart);
  }

  /** If there are fewer current values than keys, some are damaged or other tools have removed them meanwhile. */
  #checkCompleteness(session: Session, sequence: number): void {
    const received = this.#received;
    if (received === undefined || received.size >= session.subjectsAtStart) {
      this.#catchUp(sequence);
      return;
    }
    void this.#lookForDamage(session, received)
      .then((found) => {
        if (!found && !session.isOver) this.#catchUp(sequence);
      })
      .catch(session.end);
  }

  /** The server counts a damaged record but does not deliver it, so the current values may never be complete. */
  #watchForStall(session: Session): Disposable {
    let sizeBefore = -1;
    const timer = setInterval(() => {
      const received = this.#received;
      if (received === undefined || session.isOver) {
        clearInterval(timer);
        return;
      }
      const stalled = received.size === sizeBefore;
      sizeBefore = received.size;
      if (stalled) void this.#lookForDamage(session, received).catch(session.end);
    }, STALL_MS).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  /** Returns whether any record is damaged. */
  async #lookForDamage(session: Session, received: ReadonlyMap<string, number>): Promise<boolean> {
    const { bucket, skipDamaged, context } = this.#store;
    const records = await this.#store.damaged(received);
    if (records.keys.length === 0) return false;
    if (session.isOver || this.#received !== received) return true;
    context.logger.error(
      { bucket, keys: records.keys, revisions: records.revisions, skipped: skipDamaged },
      'NATS cannot read records of the bucket',
    );
    if (!skipDamaged) {
      this.#firstCatchUp.reject(new KeyValueDamagedError(bucket, records));
      return true;
    }
    for (const key of records.keys) this.#skipped.add(key);
    this.#catchUp(session.endAtStart);
    return true;
  }

  #catchUp(sequence: number): void {
    this.#lastSeen = Math.max(this.#lastSeen, sequence);
    this.#live = true;
    this.#received = undefined;
    if (this.#logged.reset()) {
      const { streamName, context } = this.#store;
      context.logger.info({ stream: streamName }, 'the watch of a store continues');
    }
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
