import type { BusMessage } from './bus-message.ts';
import type { KeyValueOptions, KeyValueStore } from './key-value.ts';
import type {
  Ledger,
  LedgerExtent,
  LedgerOptions,
  LedgerQuery,
  LedgerStreamKeeper,
  LedgerStreamOptions,
  StoredRecord,
} from './ledger.ts';

export type BusHeaders = Readonly<Record<string, string>>;

export interface PublishOptions {
  /** Where answers go; also where the server says that nobody listens. */
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
 * A connection to the bus. Delivery is at most once: a message may be lost whenever a
 * connection is, so every protocol on it notices gaps by itself.
 */
export interface Bus extends AsyncDisposable {
  readonly connected: boolean;
  /** The largest message the server takes, headers included. */
  readonly maxPayload: number;
  /** How many subscriptions are open. */
  readonly subscriptionCount: number;
  /** Throws BusDisconnectedError or BusPayloadTooLargeError; then nothing was sent. */
  publish(subject: string, payload: Uint8Array, options?: PublishOptions): void;
  /** Messages of this connection's own are not delivered to it. What a handler throws is logged, never spread. */
  subscribe(subject: string, handler: (message: BusMessage) => void): BusSubscription;
  /**
   * Rejects with BusPayloadTooLargeError or BusNoRespondersError, when nobody got it; with BusTimeoutError or
   * BusDisconnectedError, when somebody may have acted on it.
   */
  request(subject: string, payload: Uint8Array, options: RequestOptions): Promise<BusMessage>;
  /** Resolves once the server has everything published before. */
  flush(): Promise<void>;
  /** Called when the connection is lost, an eviction as a slow consumer included. Returns how to stop. */
  onDisconnect(listener: () => void): () => void;
  /** Called when it is back, with all subscriptions. What was published meanwhile by others is lost. */
  onReconnect(listener: () => void): () => void;
  /** Creates the store if it is missing, and waits while JetStream is not ready. Rejects when it can never be. */
  openKeyValue(options: KeyValueOptions): Promise<KeyValueStore>;
  /** Returns at once, and takes over a stream that exists. To be disposed of before the bus. */
  keepLedgerStream(options: LedgerStreamOptions): LedgerStreamKeeper;
  /** Returns at once; records wait while there is no stream. To be disposed of before the bus. */
  openLedger(options: LedgerOptions): Ledger;
  /** What a ledger holds at this moment, in order. Rejects with BusTimeoutError when the server falls silent. */
  readLedger(query: LedgerQuery): AsyncIterable<StoredRecord>;
  /** Whether there is a ledger at all, and where it begins. */
  ledgerExtent(stream: string): Promise<LedgerExtent>;
}
