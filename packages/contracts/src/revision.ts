/** A place in the history of the catalog's store. Of an organization's limits, the newest revision wins. */
export interface Revision {
  /** Another one when the store is made anew. */
  readonly epoch: number;
  readonly sequence: number;
}

/** Every place of every store is after this one. */
export const OLDEST_REVISION: Revision = { epoch: 0, sequence: 0 };

/** First by epoch, then by sequence. */
export function isBefore(one: Revision, other: Revision): boolean {
  return one.epoch === other.epoch ? one.sequence < other.sequence : one.epoch < other.epoch;
}
