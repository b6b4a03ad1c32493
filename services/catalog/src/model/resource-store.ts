import type { Revision } from '@sluice/contracts';

/** A stored change: the entry's name, its bytes and its sequence, which orders all changes of the store. */
export interface StoreEntry {
  readonly name: string;
  /** Undefined if the entry was deleted by another tool than the catalog. */
  readonly value: Uint8Array | undefined;
  readonly sequence: number;
}

/** Receives all changes of the store in order. */
export interface StoreObserver {
  /** The store was recreated or restored. Earlier entries are void, and all changes are delivered from the start. */
  reset(epoch: number): void;
  apply(entry: StoreEntry): void;
  /** Everything up to this sequence has been delivered. */
  caughtUp(sequence: number): void;
}

export type WriteOutcome =
  | { readonly outcome: 'stored'; readonly sequence: number }
  /** Nothing was written, because the last sequence of the store was not the expected one. */
  | { readonly outcome: 'conflict' }
  /** Nothing was written, because the store cannot be reached. */
  | { readonly outcome: 'unreachable' }
  /** Nothing was written, because the entry is too large. */
  | { readonly outcome: 'too large'; readonly limit: number }
  /** Nothing was written, because the store refuses writes, for example if the disk is full. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Whether it was written is unknown. */
  | { readonly outcome: 'unknown' };

export interface ResourceStore {
  /**
   * Writes only if the last sequence of the whole store is the expected one. With `replacesHistory`, the earlier
   * changes of the entry are deleted.
   */
  write(
    name: string,
    value: Uint8Array,
    expectedLastSequence: number,
    options?: { readonly replacesHistory: boolean },
  ): Promise<WriteOutcome>;
  /** The current last position of the store. Rejects if the store cannot be reached. */
  end(): Promise<Revision>;
  /** The changes that are still kept between two sequences, both included, the oldest first. */
  history(from: number, to: number): Promise<readonly StoreEntry[]>;
}
