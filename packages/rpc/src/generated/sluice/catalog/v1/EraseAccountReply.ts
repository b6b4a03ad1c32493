// Original file: proto/catalog/v1/console.proto


export interface EraseAccountReplyInput {
  /**
   * The entries that were deleted, as kind/id.
   */
  'deleted'?: (string)[];
}

export interface EraseAccountReply {
  /**
   * The entries that were deleted, as kind/id.
   */
  'deleted': (string)[];
}
