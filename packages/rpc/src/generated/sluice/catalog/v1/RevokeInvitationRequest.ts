// Original file: proto/catalog/v1/console.proto


export interface RevokeInvitationRequestInput {
  'organization'?: (string);
  'invitation'?: (string);
}

export interface RevokeInvitationRequest {
  'organization': (string);
  'invitation': (string);
}
