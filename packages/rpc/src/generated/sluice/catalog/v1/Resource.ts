// Original file: proto/catalog/v1/catalog.proto

import type { Long } from '@grpc/proto-loader';

export interface ResourceInput {
  'kind'?: (string);
  'id'?: (string);
  /**
   * The resource as JSON, in the field names of the YAML that operators apply.
   */
  'document'?: (string);
  /**
   * The entry's own sequence in the store. An update is refused unless this is still the sequence; 0 skips
   * the check.
   */
  'sequence'?: (number | string | Long);
}

export interface Resource {
  'kind': (string);
  'id': (string);
  /**
   * The resource as JSON, in the field names of the YAML that operators apply.
   */
  'document': (string);
  /**
   * The entry's own sequence in the store. An update is refused unless this is still the sequence; 0 skips
   * the check.
   */
  'sequence': (number);
}
