// Original file: proto/catalog/v1/catalog.proto


export interface ListResourcesRequestInput {
  'kind'?: (string);
  /**
   * The page starts after this id; empty starts with the first. Ids are ordered by their characters.
   */
  'after'?: (string);
  /**
   * The maximum number of entries. 0, or more than a page of the catalog holds, means a whole page.
   */
  'limit'?: (number);
  /**
   * For api_keys only: keys of this project.
   */
  'project'?: (string);
}

export interface ListResourcesRequest {
  'kind': (string);
  /**
   * The page starts after this id; empty starts with the first. Ids are ordered by their characters.
   */
  'after': (string);
  /**
   * The maximum number of entries. 0, or more than a page of the catalog holds, means a whole page.
   */
  'limit': (number);
  /**
   * For api_keys only: keys of this project.
   */
  'project': (string);
}
