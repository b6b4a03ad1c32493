// Original file: proto/catalog/v1/console.proto


export interface EndSessionsRequestInput {
  'account'?: (string);
}

export interface EndSessionsRequest {
  'account': (string);
}
