/** A position in the history of the catalog's store. The newest revision of an organization's limits wins. */
export interface Revision {
  /** Changes when the store is recreated, because sequences then start again. */
  readonly epoch: number;
  readonly sequence: number;
}

/** Every revision of a store is after this one. */
export const OLDEST_REVISION: Revision = { epoch: 0, sequence: 0 };

/** Compares by epoch, then by sequence. */
export function isBefore(one: Revision, other: Revision): boolean {
  return one.epoch === other.epoch ? one.sequence < other.sequence : one.epoch < other.epoch;
}
