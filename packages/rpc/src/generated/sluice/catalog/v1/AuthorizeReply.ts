// Original file: proto/catalog/v1/console.proto


export interface AuthorizeReplyInput {
  /**
   * In the organization; empty for actions of operators.
   */
  'role'?: (string);
}

export interface AuthorizeReply {
  /**
   * In the organization; empty for actions of operators.
   */
  'role': (string);
}
