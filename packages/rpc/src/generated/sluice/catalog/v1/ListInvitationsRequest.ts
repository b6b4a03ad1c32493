// Original file: proto/catalog/v1/console.proto


export interface ListInvitationsRequestInput {
  'organization'?: (string);
}

export interface ListInvitationsRequest {
  'organization': (string);
}
