// Original file: proto/catalog/v1/console.proto


export interface AcceptInvitationRequestInput {
  'token'?: (string);
  'acceptTerms'?: (boolean);
}

export interface AcceptInvitationRequest {
  'token': (string);
  'acceptTerms': (boolean);
}
