// Original file: proto/usage/v1/usage.proto


export interface LastUsesRequestInput {
  /**
   * Ids of keys and playground credentials, at most 1000.
   */
  'credentials'?: (string)[];
}

export interface LastUsesRequest {
  /**
   * Ids of keys and playground credentials, at most 1000.
   */
  'credentials': (string)[];
}
