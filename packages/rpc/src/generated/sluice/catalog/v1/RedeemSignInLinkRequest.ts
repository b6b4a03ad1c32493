// Original file: proto/catalog/v1/console.proto


export interface RedeemSignInLinkRequestInput {
  'token'?: (string);
}

export interface RedeemSignInLinkRequest {
  'token': (string);
}
