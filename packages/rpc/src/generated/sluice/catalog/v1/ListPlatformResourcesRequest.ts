// Original file: proto/catalog/v1/console.proto


export interface ListPlatformResourcesRequestInput {
  'kind'?: (string);
  /**
   * Part of an id or a name.
   */
  'search'?: (string);
  /**
   * Only for the kind projects: those of this organization.
   */
  'organization'?: (string);
  'after'?: (string);
  'limit'?: (number);
}

export interface ListPlatformResourcesRequest {
  'kind': (string);
  /**
   * Part of an id or a name.
   */
  'search': (string);
  /**
   * Only for the kind projects: those of this organization.
   */
  'organization': (string);
  'after': (string);
  'limit': (number);
}
