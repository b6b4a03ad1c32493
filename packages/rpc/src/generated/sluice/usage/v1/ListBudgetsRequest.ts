// Original file: proto/usage/v1/usage.proto


export interface ListBudgetsRequestInput {
  /**
   * Empty: all.
   */
  'organization'?: (string);
}

export interface ListBudgetsRequest {
  /**
   * Empty: all.
   */
  'organization': (string);
}
