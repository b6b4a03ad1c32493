import type { BusMessage } from './bus-message.ts';
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

export type BusHeaders = Readonly<Record<string, string>>;

export interface PublishOptions {
  /** The subject for answers. If the subject has no subscriber, the server reports that here. */
  readonly reply?: string;
  readonly headers?: BusHeaders;
}

export interface RequestOptions {
  readonly timeoutMs: number;
}

export interface BusSubscription {
  unsubscribe(): void;
}

/**
 * A connection to the bus. Delivery is at most once: a lost connection may lose messages. Protocols on top of the bus
 * must detect gaps themselves.
 */
export interface Bus extends AsyncDisposable {
  readonly connected: boolean;
  /** The largest message that the server accepts, headers included. */
  readonly maxPayload: number;
  /** The number of open subscriptions. */
  readonly subscriptionCount: number;
  /** Throws BusDisconnectedError or BusPayloadTooLargeError. In both cases nothing was sent. */
  publish(subject: string, payload: Uint8Array, options?: PublishOptions): void;
  /** Messages published on this connection are not delivered to it. An error thrown by the handler is only logged. */
  subscribe(subject: string, handler: (message: BusMessage) => void): BusSubscription;
  /**
   * Rejects with BusPayloadTooLargeError or BusNoRespondersError if the request reached no subscriber. Rejects with
   * BusTimeoutError or BusDisconnectedError if a subscriber may have acted on the request.
   */
  request(subject: string, payload: Uint8Array, options: RequestOptions): Promise<BusMessage>;
  /** Resolves when the server has received everything published before this call. */
  flush(): Promise<void>;
  /**
   * Called when the connection is lost, also when the server closes it as a slow consumer. Returns a function that
   * removes the listener.
   */
  onDisconnect(listener: () => void): () => void;
  /** Called when the connection and all subscriptions are restored. Messages published in between are lost. */
  onReconnect(listener: () => void): () => void;
  /**
   * Opens a store, and creates it if it is missing. Waits until JetStream is ready. Rejects if the server can never
   * provide the store.
   */
  openKeyValue(options: KeyValueOptions): Promise<KeyValueStore>;
  /**
   * Keeps a stream for a ledger: creates it if it is missing. Returns at once. Dispose of the keeper before the bus.
   */
  keepLedgerStream(options: LedgerStreamOptions): LedgerStreamKeeper;
  /**
   * Opens a ledger for writing. Returns at once. Records are buffered while the stream is missing. Dispose of the
   * ledger before the bus.
   */
  openLedger(options: LedgerOptions): Ledger;
  /** All records that a ledger holds now, in order. Rejects with BusTimeoutError if the server stops answering. */
  readLedger(query: LedgerQuery): AsyncIterable<StoredRecord>;
  /** Whether the ledger's stream exists, and the time of its oldest record. */
  ledgerExtent(stream: string): Promise<LedgerExtent>;
  /**
   * The messages of a ledger's stream after a position, as they are stored, without an end. Rejects when reading must
   * begin again at the position of the last message, for example after the connection was lost.
   */
  followLedger(following: LedgerFollowing): AsyncGenerator<LedgerMessage, void, void>;
  /**
   * How much of a ledger's stream follows the position that a reader has reached. A stream may have been created again,
   * so there may be several positions. The one in the present stream counts.
   */
  ledgerUnread(stream: string, after: readonly LedgerPosition[]): Promise<LedgerUnread>;
}
