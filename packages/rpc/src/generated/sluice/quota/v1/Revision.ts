// Original file: proto/quota/v1/quota.proto


/**
 * The newest revision seen wins: first by epoch, then by sequence. The epoch
 * changes when the catalog's store is created again.
 */
export interface RevisionInput {
  'epoch'?: (number | string);
  'sequence'?: (number | string);
}

/**
 * The newest revision seen wins: first by epoch, then by sequence. The epoch
 * changes when the catalog's store is created again.
 */
export interface Revision {
  'epoch': (number);
  'sequence': (number);
}
