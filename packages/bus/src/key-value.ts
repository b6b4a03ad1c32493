/** A small store of last values with one sequence over all of its keys. */
export interface KeyValueOptions {
  /** Letters, digits, `-` and `_`. */
  readonly bucket: string;
  /** How many servers of a cluster hold it. */
  readonly replicas: number;
  /** How many of its last changes are kept of each key, 1 to 64; 1 unless given. */
  readonly history?: number;
  readonly description?: string;
  /** Whether a watch goes on without the records that the server cannot read; false unless given. */
  readonly skipDamaged?: boolean;
}

/** Records that the server counts and cannot read: its disk has damaged them. */
export interface DamagedRecords {
  readonly keys: readonly string[];
  /** The sequences that cannot be read. Empty when there were too many to look at. */
  readonly revisions: readonly number[];
}

/** The store cannot be read whole, and going on without a part of it was not asked for. */
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
  /** Undefined when the key was deleted, by other means than this store's. */
  readonly value: Uint8Array | undefined;
  /** The store's sequence of this change. */
  readonly sequence: number;
}

export interface WriteOptions {
  /**
   * The sequence of the last change to any key, as the writer knows it. If the store has moved on, nothing is
   * written and KeyValueConflictError is thrown. So a decision made on a whole view of the store stays true.
   */
  readonly expectedLastSequence: number;
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
  /** Each key's present value first, in order of sequence, deletions included; then every change. */
  onEntry(entry: KeyValueEntry): void;
  /** Everything up to this sequence was seen. Called after the present values, each change and each interruption. */
  onCaughtUp(sequence: number): void;
  /** The store was made anew, or is an older copy: forget everything; it is delivered again from its start. */
  onReset(epoch: number): void;
}

export interface KeyValueWatch extends AsyncDisposable {
  /** Caught up, and hearing of changes as they happen. */
  readonly live: boolean;
  /** The keys of records that were left out because the server cannot read them, until they are written again. */
  readonly skipped: readonly string[];
}

/**
 * Writes reject with KeyValueConflictError; BusDisconnectedError; BusNoRespondersError while nobody leads the store;
 * KeyValueRefusedError; BusTimeoutError, after which the outcome is unknown.
 */
export interface KeyValueStore {
  /**
   * When the store was created, in milliseconds, or a later one if it was found to have gone back in time. Another
   * value is another store, whose sequences start again.
   */
  readonly epoch: number;
  /** Where the store's history ends, as the store itself says at this moment. */
  end(): Promise<StoreEnd>;
  put(key: string, value: Uint8Array, options: WriteOptions): Promise<number>;
  /** Those changes of a range that are still kept, in order. */
  changes(range: ChangeRange): Promise<KeyValueEntry[]>;
  /**
   * Resolves once the present values have all been delivered. It outlives restarts of the server. A store that is
   * gone is not made anew but waited for: nothing is told meanwhile, and the watch is not live.
   */
  watch(watcher: KeyValueWatcher): Promise<KeyValueWatch>;
}
