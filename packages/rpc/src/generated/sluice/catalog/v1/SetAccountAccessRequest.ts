// Original file: proto/catalog/v1/console.proto


export interface SetAccountAccessRequestInput {
  'account'?: (string);
  /**
   * granted | waiting
   */
  'access'?: (string);
}

export interface SetAccountAccessRequest {
  'account': (string);
  /**
   * granted | waiting
   */
  'access': (string);
}
