// Original file: proto/catalog/v1/console.proto


export interface EraseAccountRequestInput {
  'account'?: (string);
}

export interface EraseAccountRequest {
  'account': (string);
}
