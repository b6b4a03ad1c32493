// Original file: proto/catalog/v1/console.proto


export interface AcceptInvitationReplyInput {
  'organization'?: (string);
  'role'?: (string);
}

export interface AcceptInvitationReply {
  'organization': (string);
  'role': (string);
}
