// Original file: proto/catalog/v1/catalog.proto

import type { Long } from '@grpc/proto-loader';

/**
 * kind: plans, models, accounts, organizations, projects, api_keys.
 */
export interface ResourceReferenceInput {
  'kind'?: (string);
  'id'?: (string);
  /**
   * When deleting: the change is refused unless this is still the entry's own sequence. 0 skips the check.
   */
  'sequence'?: (number | string | Long);
}

/**
 * kind: plans, models, accounts, organizations, projects, api_keys.
 */
export interface ResourceReference {
  'kind': (string);
  'id': (string);
  /**
   * When deleting: the change is refused unless this is still the entry's own sequence. 0 skips the check.
   */
  'sequence': (number);
}
