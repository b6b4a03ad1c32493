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
   * The maximum number of entries. 0, or more than a page of the catalog holds, means a whole page.
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
   * The maximum number of entries. 0, or more than a page of the catalog holds, means a whole page.
   */
  'limit': (number);
}
