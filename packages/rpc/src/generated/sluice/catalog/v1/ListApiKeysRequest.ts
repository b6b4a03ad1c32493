// Original file: proto/catalog/v1/console.proto


export interface ListApiKeysRequestInput {
  'organization'?: (string);
  /**
   * Empty: of all projects.
   */
  'project'?: (string);
  /**
   * Part of an id, a name or the last four characters.
   */
  'search'?: (string);
  /**
   * active | expired | revoked; empty: all.
   */
  'state'?: (string);
  'after'?: (string);
  'limit'?: (number);
}

export interface ListApiKeysRequest {
  'organization': (string);
  /**
   * Empty: of all projects.
   */
  'project': (string);
  /**
   * Part of an id, a name or the last four characters.
   */
  'search': (string);
  /**
   * active | expired | revoked; empty: all.
   */
  'state': (string);
  'after': (string);
  'limit': (number);
}
