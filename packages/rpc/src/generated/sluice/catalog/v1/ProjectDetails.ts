// Original file: proto/catalog/v1/console.proto


export interface ProjectDetailsInput {
  'id'?: (string);
  'name'?: (string);
  /**
   * Keys that are neither revoked nor expired.
   */
  'activeKeys'?: (number);
}

export interface ProjectDetails {
  'id': (string);
  'name': (string);
  /**
   * Keys that are neither revoked nor expired.
   */
  'activeKeys': (number);
}
