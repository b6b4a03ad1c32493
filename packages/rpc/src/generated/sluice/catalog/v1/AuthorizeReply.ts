// Original file: proto/catalog/v1/console.proto


export interface AuthorizeReplyInput {
  /**
   * The role in the organization; empty for actions of operators.
   */
  'role'?: (string);
}

export interface AuthorizeReply {
  /**
   * The role in the organization; empty for actions of operators.
   */
  'role': (string);
}
