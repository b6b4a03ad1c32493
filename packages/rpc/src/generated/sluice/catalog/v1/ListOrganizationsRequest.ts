// Original file: proto/catalog/v1/console.proto


export interface ListOrganizationsRequestInput {
  /**
   * Part of an id or a name.
   */
  'search'?: (string);
  'after'?: (string);
  'limit'?: (number);
}

export interface ListOrganizationsRequest {
  /**
   * Part of an id or a name.
   */
  'search': (string);
  'after': (string);
  'limit': (number);
}
