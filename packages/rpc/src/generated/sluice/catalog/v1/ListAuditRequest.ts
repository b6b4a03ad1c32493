// Original file: proto/catalog/v1/catalog.proto

import type { Long } from '@grpc/proto-loader';

export interface ListAuditRequestInput {
  /**
   * Only changes of this kind, and of this id, when given.
   */
  'kind'?: (string);
  'id'?: (string);
  /**
   * Only changes before this sequence; 0 starts with the newest.
   */
  'before'?: (number | string | Long);
  /**
   * At most so many; 0, or more than the catalog gives at once, is as many as it gives.
   */
  'limit'?: (number);
}

export interface ListAuditRequest {
  /**
   * Only changes of this kind, and of this id, when given.
   */
  'kind': (string);
  'id': (string);
  /**
   * Only changes before this sequence; 0 starts with the newest.
   */
  'before': (number);
  /**
   * At most so many; 0, or more than the catalog gives at once, is as many as it gives.
   */
  'limit': (number);
}
