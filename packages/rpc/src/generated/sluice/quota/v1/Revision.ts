// Original file: proto/quota/v1/quota.proto

import type { Long } from '@grpc/proto-loader';

/**
 * The newest revision seen wins: first by epoch, then by sequence. The epoch
 * changes when the catalog's store is made anew.
 */
export interface RevisionInput {
  'epoch'?: (number | string | Long);
  'sequence'?: (number | string | Long);
}

/**
 * The newest revision seen wins: first by epoch, then by sequence. The epoch
 * changes when the catalog's store is made anew.
 */
export interface Revision {
  'epoch': (number);
  'sequence': (number);
}
