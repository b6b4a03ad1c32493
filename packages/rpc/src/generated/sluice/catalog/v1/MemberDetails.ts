// Original file: proto/catalog/v1/console.proto


export interface MemberDetailsInput {
  'account'?: (string);
  'name'?: (string);
  'email'?: (string);
  'role'?: (string);
  'active'?: (boolean);
}

export interface MemberDetails {
  'account': (string);
  'name': (string);
  'email': (string);
  'role': (string);
  'active': (boolean);
}
