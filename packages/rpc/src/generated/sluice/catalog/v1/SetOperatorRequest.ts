// Original file: proto/catalog/v1/console.proto


export interface SetOperatorRequestInput {
  'account'?: (string);
  'operator'?: (boolean);
}

export interface SetOperatorRequest {
  'account': (string);
  'operator': (boolean);
}
