// Original file: proto/catalog/v1/console.proto


export interface ListMembersRequestInput {
  'organization'?: (string);
  /**
   * Part of an id, a name or an e-mail address.
   */
  'search'?: (string);
  'after'?: (string);
  'limit'?: (number);
}

export interface ListMembersRequest {
  'organization': (string);
  /**
   * Part of an id, a name or an e-mail address.
   */
  'search': (string);
  'after': (string);
  'limit': (number);
}
