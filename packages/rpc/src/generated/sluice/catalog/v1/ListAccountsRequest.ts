// Original file: proto/catalog/v1/console.proto


export interface ListAccountsRequestInput {
  /**
   * Part of an id, a name or an e-mail address.
   */
  'search'?: (string);
  /**
   * waiting | granted | restricted | operators; empty: all.
   */
  'filter'?: (string);
  'after'?: (string);
  'limit'?: (number);
}

export interface ListAccountsRequest {
  /**
   * Part of an id, a name or an e-mail address.
   */
  'search': (string);
  /**
   * waiting | granted | restricted | operators; empty: all.
   */
  'filter': (string);
  'after': (string);
  'limit': (number);
}
