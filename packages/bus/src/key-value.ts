/** A small key-value store with one sequence over all keys. */
export interface KeyValueOptions {
  /** Letters, digits, `-` and `_`. */
  readonly bucket: string;
  /** How many servers of a cluster hold a copy. */
  readonly replicas: number;
  /** How many changes are kept for each key, from 1 to 64. Default: 1. */
  readonly history?: number;
  readonly description?: string;
  /** Whether a watch continues without the records that the server cannot read. Default: false. */
  readonly skipDamaged?: boolean;
}

/** Records that the server counts but cannot read because its disk has damaged them. */
export interface DamagedRecords {
  readonly keys: readonly string[];
  /** The sequences that cannot be read. Empty if the store has too many records to check each. */
  readonly revisions: readonly number[];
}

/** Some records cannot be read, and `skipDamaged` is not set. */
export class KeyValueDamagedError extends Error {
  override readonly name = 'KeyValueDamagedError';
  readonly records: DamagedRecords;

  constructor(bucket: string, records: DamagedRecords) {
    const { keys, revisions } = records;
    super(
      `NATS cannot read ${keys.length} of the records of the bucket ${bucket}: ` +
        `${keys.slice(0, 20).join(', ')}${keys.length > 20 ? ' and more' : ''} ` +
        `(revision ${revisions.length === 0 ? 'unknown' : revisions.slice(0, 20).join(', ')})`,
    );
    this.records = records;
  }
}

export interface KeyValueEntry {
  readonly key: string;
  /** Undefined if the key was deleted. Only other tools delete keys; this store does not. */
  readonly value: Uint8Array | undefined;
  /** The sequence of this change in the store. */
  readonly sequence: number;
}

export interface WriteOptions {
  /**
   * The sequence of the last change to any key, as the writer knows it. If the store has changed since, nothing is
   * written and KeyValueConflictError is thrown. A decision that depends on the whole store is therefore written only
   * while it is still valid.
   */
  readonly expectedLastSequence: number;
  /** Whether the earlier changes of the key are deleted from the store. Default: false. */
  readonly replacesHistory?: boolean;
}

export interface StoreEnd {
  readonly epoch: number;
  readonly sequence: number;
}

/** Sequences of the store, both ends included. */
export interface ChangeRange {
  readonly from: number;
  readonly to: number;
}

export interface KeyValueWatcher {
  /** First the current value of each key, in order of sequence, deletions included. Then every change. */
  onEntry(entry: KeyValueEntry): void;
  /**
   * Everything up to this sequence was delivered. Called after the current values, after each change and after each
   * interruption.
   */
  onCaughtUp(sequence: number): void;
  /**
   * The store was recreated, or restored from an older copy. Discard all entries: the store is delivered again from the
   * start.
   */
  onReset(epoch: number): void;
}

export interface KeyValueWatch extends AsyncDisposable {
  /** Whether the watch is caught up and receives changes as they happen. */
  readonly live: boolean;
  /**
   * Keys that are left out because the server cannot read their records. A key that is written again is no longer left
   * out.
   */
  readonly skipped: readonly string[];
}

/**
 * A write rejects with one of these errors:
 * - KeyValueConflictError
 * - BusDisconnectedError
 * - BusNoRespondersError while the store has no leader
 * - KeyValueRefusedError
 * - BusTimeoutError; then the outcome is unknown
 */
export interface KeyValueStore {
  /**
   * Identifies the store. It is the time of creation in milliseconds, or a later number that was set when the store was
   * found to be an older copy. Another epoch means another store, whose sequences start again.
   */
  readonly epoch: number;
  /** The epoch and last sequence of the store, as its leader reports them now. */
  end(): Promise<StoreEnd>;
  put(key: string, value: Uint8Array, options: WriteOptions): Promise<number>;
  /** The changes of a range that are still kept, in order. */
  changes(range: ChangeRange): Promise<KeyValueEntry[]>;
  /**
   * Resolves when all current values have been delivered. The watch continues after a restart of the server. If the
   * store is missing, the watch does not recreate it but waits. Meanwhile nothing is delivered, and `live` is false.
   */
  watch(watcher: KeyValueWatcher): Promise<KeyValueWatch>;
}
