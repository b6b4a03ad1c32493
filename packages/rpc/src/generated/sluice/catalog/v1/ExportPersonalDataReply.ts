// Original file: proto/catalog/v1/console.proto


export interface ExportPersonalDataReplyInput {
  /**
   * JSON with everything that the catalog holds about the account.
   */
  'document'?: (string);
}

export interface ExportPersonalDataReply {
  /**
   * JSON with everything that the catalog holds about the account.
   */
  'document': (string);
}
