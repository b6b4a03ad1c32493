// Original file: proto/catalog/v1/console.proto


export interface MembershipInput {
  'id'?: (string);
  'name'?: (string);
  /**
   * owner | admin | member | viewer
   */
  'role'?: (string);
  /**
   * Whether it was created at the first sign-in of this account.
   */
  'personal'?: (boolean);
}

export interface Membership {
  'id': (string);
  'name': (string);
  /**
   * owner | admin | member | viewer
   */
  'role': (string);
  /**
   * Whether it was created at the first sign-in of this account.
   */
  'personal': (boolean);
}
