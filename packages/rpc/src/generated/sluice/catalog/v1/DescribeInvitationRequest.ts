// Original file: proto/catalog/v1/console.proto


export interface DescribeInvitationRequestInput {
  'token'?: (string);
}

export interface DescribeInvitationRequest {
  'token': (string);
}
