// Original file: proto/quota/v1/quota.proto


/**
 * The limits of the newest revision that the limiter has seen apply. Revisions
 * are ordered by epoch, then by sequence. The epoch changes when the catalog's
 * store is created again.
 */
export interface RevisionInput {
  'epoch'?: (number | string);
  'sequence'?: (number | string);
}

/**
 * The limits of the newest revision that the limiter has seen apply. Revisions
 * are ordered by epoch, then by sequence. The epoch changes when the catalog's
 * store is created again.
 */
export interface Revision {
  'epoch': (number);
  'sequence': (number);
}
