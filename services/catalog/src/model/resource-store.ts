import type { Revision } from '@sluice/contracts';

/** One change as the store holds it: the entry's name, its bytes, and its place in the whole store's order. */
export interface StoreEntry {
  readonly name: string;
  /** Undefined when the entry was removed by other means than the catalog's own. */
  readonly value: Uint8Array | undefined;
  readonly sequence: number;
}

/** Hears of everything in the store, in order. */
export interface StoreObserver {
  /** The store is another one than before: all that was heard is void, and all of it will be told from its start. */
  reset(epoch: number): void;
  apply(entry: StoreEntry): void;
  /** Everything up to this sequence was told. */
  caughtUp(sequence: number): void;
}

export type WriteOutcome =
  | { readonly outcome: 'stored'; readonly sequence: number }
  /** The store has moved on: nothing was written. */
  | { readonly outcome: 'outrun' }
  /** Nothing was written, because the store cannot be reached. */
  | { readonly outcome: 'unreachable' }
  /** Nothing was written, because the store takes no entry of that size. */
  | { readonly outcome: 'too large'; readonly limit: number }
  /** Nothing was written, because the store takes nothing more, as on a full disk. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** It may have been written. */
  | { readonly outcome: 'unknown' };

export interface ResourceStore {
  /** Writes only if the store's last change, to any entry, is still the expected one. */
  write(name: string, value: Uint8Array, expectedLastSequence: number): Promise<WriteOutcome>;
  /** Where its history ends at this moment; rejects when it cannot be reached. */
  end(): Promise<Revision>;
  /** Those still kept of the changes in a range of sequences, both ends included, the oldest first. */
  history(from: number, to: number): Promise<readonly StoreEntry[]>;
}
