// Original file: proto/catalog/v1/catalog.proto


export interface CreateSignInLinkRequestInput {
  'account'?: (string);
}

export interface CreateSignInLinkRequest {
  'account': (string);
}
