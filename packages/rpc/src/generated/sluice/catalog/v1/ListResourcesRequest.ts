// Original file: proto/catalog/v1/catalog.proto


export interface ListResourcesRequestInput {
  'kind'?: (string);
  /**
   * Start behind this id; empty starts with the first. Ids are in the order of their characters.
   */
  'after'?: (string);
  /**
   * At most so many; 0, or more than the catalog gives at once, is as many as it gives.
   */
  'limit'?: (number);
  /**
   * Of api_keys only: those of this project.
   */
  'project'?: (string);
}

export interface ListResourcesRequest {
  'kind': (string);
  /**
   * Start behind this id; empty starts with the first. Ids are in the order of their characters.
   */
  'after': (string);
  /**
   * At most so many; 0, or more than the catalog gives at once, is as many as it gives.
   */
  'limit': (number);
  /**
   * Of api_keys only: those of this project.
   */
  'project': (string);
}
