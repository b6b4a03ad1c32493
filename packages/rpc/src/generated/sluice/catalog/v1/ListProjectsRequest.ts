// Original file: proto/catalog/v1/console.proto


export interface ListProjectsRequestInput {
  'organization'?: (string);
  /**
   * Part of an id or a name.
   */
  'search'?: (string);
  'after'?: (string);
  'limit'?: (number);
}

export interface ListProjectsRequest {
  'organization': (string);
  /**
   * Part of an id or a name.
   */
  'search': (string);
  'after': (string);
  'limit': (number);
}
