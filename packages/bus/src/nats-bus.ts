import {
  RequestError,
  TimeoutError,
  headers as natsHeaders,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from '@nats-io/transport-node';
import { observe, type Logger, withTimeout } from '@sluice/service';
import {
  BusDisconnectedError,
  BusNoRespondersError,
  BusPayloadTooLargeError,
  BusTimeoutError,
} from './bus-errors.ts';
import { NatsBusMessage, type BusMessage } from './bus-message.ts';
import type { Bus, BusHeaders, BusSubscription, PublishOptions, RequestOptions } from './bus.ts';
import { cutStaleConnection } from './cut-stale-connection.ts';
import { followJetStreamLedger, jetStreamLedgerUnread } from './follow-jetstream-ledger.ts';
import type { JetStreamContext } from './jetstream-context.ts';
import { openJetStreamKeyValue } from './jetstream-key-value.ts';
import { JetStreamLedgerKeeper } from './jetstream-ledger-keeper.ts';
import { JetStreamLedger } from './jetstream-ledger.ts';
import type { KeyValueOptions, KeyValueStore } from './key-value.ts';
import type {
  Ledger,
  LedgerExtent,
  LedgerFollowing,
  LedgerMessage,
  LedgerOptions,
  LedgerPosition,
  LedgerQuery,
  LedgerStreamKeeper,
  LedgerStreamOptions,
  LedgerUnread,
  StoredRecord,
} from './ledger.ts';
import { NatsErrorLog } from './nats-error-log.ts';
import { jetStreamLedgerExtent, readJetStreamLedger } from './read-jetstream-ledger.ts';

/** Used only while disconnected, when the server has not announced its limit. */
const DEFAULT_MAX_PAYLOAD = 1_048_576;
const LAST_FLUSH_MS = 1_000;
/** A subscription that was not permitted may be permitted after the operator changes the rights. */
const RESUBSCRIBE_MS = 2_000;

const DEFAULT_INBOX = '_INBOX';

interface NatsBusOptions {
  readonly logger: Logger;
  /** Prefix of the reply subjects. */
  readonly inbox?: string | undefined;
}

export class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #logger: Logger;
  readonly #inbox: string;
  readonly #errorLog: NatsErrorLog;
  readonly #disconnectListeners = new Set<() => void>();
  readonly #reconnectListeners = new Set<() => void>();
  readonly #subscriptions = new Set<BusSubscription>();
  #connected = true;
  #maxPayload: number;

  constructor(connection: NatsConnection, { logger, inbox = DEFAULT_INBOX }: NatsBusOptions) {
    this.#connection = connection;
    this.#inbox = inbox;
    this.#logger = logger;
    this.#errorLog = new NatsErrorLog(logger);
    this.#maxPayload = connection.info?.max_payload ?? DEFAULT_MAX_PAYLOAD;
    void this.#followStatus();
  }

  get connected(): boolean {
    return this.#connected;
  }

  get maxPayload(): number {
    return this.#maxPayload;
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  publish(subject: string, payload: Uint8Array, options?: PublishOptions): void {
    this.#requireConnection();
    if (payload.length > this.#maxPayload) {
      throw new BusPayloadTooLargeError(payload.length, this.#maxPayload);
    }
    if (options === undefined) this.#connection.publish(subject, payload);
    else this.#connection.publish(subject, payload, translateOptions(options));
  }

  subscribe(subject: string, handler: (message: BusMessage) => void): BusSubscription {
    let subscription: Subscription | undefined;
    let retry: NodeJS.Timeout | undefined;
    const begin = () => {
      if (this.#connection.isClosed()) return;
      subscription = this.#connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) this.#deliver(subject, message, handler);
          // If the server does not permit a subscription, the client drops it and never tries again.
          else retry = setTimeout(begin, RESUBSCRIBE_MS).unref();
        },
      });
    };
    begin();
    const handle: BusSubscription = {
      unsubscribe: () => {
        this.#subscriptions.delete(handle);
        clearTimeout(retry);
        subscription?.unsubscribe();
      },
    };
    this.#subscriptions.add(handle);
    return handle;
  }

  async request(
    subject: string,
    payload: Uint8Array,
    options: RequestOptions,
  ): Promise<BusMessage> {
    this.#requireConnection();
    if (payload.length > this.#maxPayload) {
      throw new BusPayloadTooLargeError(payload.length, this.#maxPayload);
    }
    try {
      const answer = await this.#connection.request(subject, payload, {
        timeout: options.timeoutMs,
      });
      return this.#wrap(answer);
    } catch (cause) {
      if (cause instanceof RequestError && cause.isNoResponders()) {
        throw new BusNoRespondersError(subject, { cause });
      }
      if (cause instanceof TimeoutError) throw new BusTimeoutError(subject, { cause });
      throw new BusDisconnectedError({ cause });
    }
  }

  async flush(): Promise<void> {
    this.#requireConnection();
    try {
      await this.#connection.flush();
    } catch (cause) {
      throw new BusDisconnectedError({ cause });
    }
  }

  onDisconnect(listener: () => void): () => void {
    this.#disconnectListeners.add(listener);
    return () => void this.#disconnectListeners.delete(listener);
  }

  onReconnect(listener: () => void): () => void {
    this.#reconnectListeners.add(listener);
    return () => void this.#reconnectListeners.delete(listener);
  }

  openKeyValue(options: KeyValueOptions): Promise<KeyValueStore> {
    return openJetStreamKeyValue(this.#context(), options);
  }

  keepLedgerStream(options: LedgerStreamOptions): LedgerStreamKeeper {
    return new JetStreamLedgerKeeper(this.#context(), options);
  }

  openLedger(options: LedgerOptions): Ledger {
    const ledger = new JetStreamLedger(this.#context(), options);
    const { kind } = options;
    observe('sluice.ledger.stored', () => [[ledger.counts.stored, { kind }]]);
    observe('sluice.ledger.lost', () => [[ledger.counts.lost, { kind }]]);
    observe('sluice.ledger.pending', () => [[ledger.counts.pending, { kind }]]);
    return ledger;
  }

  readLedger(query: LedgerQuery): AsyncIterable<StoredRecord> {
    return readJetStreamLedger(this.#connection, query);
  }

  async ledgerExtent(stream: string): Promise<LedgerExtent> {
    return jetStreamLedgerExtent(this.#connection, stream);
  }

  followLedger(following: LedgerFollowing): AsyncGenerator<LedgerMessage, void, void> {
    return followJetStreamLedger(this.#context(), following);
  }

  async ledgerUnread(stream: string, after: readonly LedgerPosition[]): Promise<LedgerUnread> {
    return jetStreamLedgerUnread(this.#context(), stream, after);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disconnectListeners.clear();
    this.#reconnectListeners.clear();
    // The flush has a time limit. Without it, a drain would wait forever for a server that is frozen or unreachable.
    if (this.#connected) await withTimeout(LAST_FLUSH_MS, this.flush());
    this.#connected = false;
    await this.#connection.close();
  }

  #context(): JetStreamContext {
    return {
      bus: this,
      connection: this.#connection,
      inbox: this.#inbox,
      logger: this.#logger,
    };
  }

  #requireConnection(): void {
    if (!this.#connected) throw new BusDisconnectedError();
  }

  #wrap(message: Msg): BusMessage {
    return new NatsBusMessage(message, (subject, payload) => this.publish(subject, payload));
  }

  /**
   * Calls a handler. Exceptions are caught, because one that reached the client would stop it from reading the socket.
   */
  #deliver(subject: string, message: Msg, handler: (message: BusMessage) => void): void {
    try {
      handler(this.#wrap(message));
    } catch (thrown) {
      this.#logger.error({ err: thrown, subject }, 'a message handler threw');
    }
  }

  async #followStatus(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect') this.#connectionLost(status.server);
      else if (status.type === 'reconnect') this.#connectionRestored(status.server);
      else if (status.type === 'staleConnection') void cutStaleConnection(this.#connection);
      else if (status.type === 'error') this.#errorLog.add(status.error);
    }
  }

  #connectionLost(server: string): void {
    // The client repeats this event for every attempt to reconnect that fails halfway.
    if (!this.#connected) return;
    this.#connected = false;
    this.#logger.warn({ server }, 'bus connection lost');
    this.#notify(this.#disconnectListeners);
  }

  #connectionRestored(server: string): void {
    // The client repeats this event for every attempt that was refused.
    if (this.#connected) return;
    this.#connected = true;
    this.#errorLog.reset();
    this.#maxPayload = this.#connection.info?.max_payload ?? this.#maxPayload;
    this.#logger.info({ server }, 'bus connection is back');
    this.#notify(this.#reconnectListeners);
  }

  #notify(listeners: ReadonlySet<() => void>): void {
    for (const listener of listeners) {
      try {
        listener();
      } catch (thrown) {
        this.#logger.error({ err: thrown }, 'a connection listener threw');
      }
    }
  }
}

function translateOptions({ reply, headers }: PublishOptions): {
  reply?: string;
  headers?: MsgHdrs;
} {
  return {
    ...(reply === undefined ? {} : { reply }),
    ...(headers === undefined ? {} : { headers: translateHeaders(headers) }),
  };
}

function translateHeaders(record: BusHeaders): MsgHdrs {
  const translated = natsHeaders();
  for (const [name, value] of Object.entries(record)) translated.set(name, value);
  return translated;
}
