// Original file: proto/catalog/v1/catalog.proto


export interface CreateApiKeyReplyInput {
  'id'?: (string);
  /**
   * Shown once; only its SHA-256 is stored.
   */
  'key'?: (string);
}

export interface CreateApiKeyReply {
  'id': (string);
  /**
   * Shown once; only its SHA-256 is stored.
   */
  'key': (string);
}
