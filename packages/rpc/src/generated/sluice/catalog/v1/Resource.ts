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
   * The entry's own sequence in the store. Sent with an update: refuse unless it is still so; 0 asks for
   * no such check.
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
   * The entry's own sequence in the store. Sent with an update: refuse unless it is still so; 0 asks for
   * no such check.
   */
  'sequence': (number);
}
