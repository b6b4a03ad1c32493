// Original file: proto/catalog/v1/console.proto


export interface SetMemberRoleRequestInput {
  'organization'?: (string);
  'account'?: (string);
  'role'?: (string);
}

export interface SetMemberRoleRequest {
  'organization': (string);
  'account': (string);
  'role': (string);
}
