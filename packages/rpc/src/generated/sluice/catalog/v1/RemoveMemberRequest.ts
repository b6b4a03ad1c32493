// Original file: proto/catalog/v1/console.proto


export interface RemoveMemberRequestInput {
  'organization'?: (string);
  'account'?: (string);
}

export interface RemoveMemberRequest {
  'organization': (string);
  'account': (string);
}
