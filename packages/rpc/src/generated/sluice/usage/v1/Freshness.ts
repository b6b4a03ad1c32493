// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

/**
 * How much of the ledger the answer takes into account.
 */
export interface FreshnessInput {
  /**
   * Messages of the ledger that are not in the tables yet. Absent while the ledger cannot be asked.
   */
  'unreadMessages'?: (number | string | Long);
  /**
   * The age of the oldest of them.
   */
  'lagSeconds'?: (number | string);
  '_unreadMessages'?: "unreadMessages";
  '_lagSeconds'?: "lagSeconds";
}

/**
 * How much of the ledger the answer takes into account.
 */
export interface Freshness {
  /**
   * Messages of the ledger that are not in the tables yet. Absent while the ledger cannot be asked.
   */
  'unreadMessages'?: (number);
  /**
   * The age of the oldest of them.
   */
  'lagSeconds'?: (number);
  '_unreadMessages'?: "unreadMessages";
  '_lagSeconds'?: "lagSeconds";
}
