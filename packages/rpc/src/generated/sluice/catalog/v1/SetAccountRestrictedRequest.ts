// Original file: proto/catalog/v1/console.proto


export interface SetAccountRestrictedRequestInput {
  'account'?: (string);
  'restricted'?: (boolean);
}

export interface SetAccountRestrictedRequest {
  'account': (string);
  'restricted': (boolean);
}
