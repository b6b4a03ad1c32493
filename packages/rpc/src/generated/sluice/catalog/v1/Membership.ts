// Original file: proto/catalog/v1/console.proto


export interface MembershipInput {
  'id'?: (string);
  'name'?: (string);
  /**
   * owner | admin | member | viewer
   */
  'role'?: (string);
  /**
   * Created at the first sign-in of this account.
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
   * Created at the first sign-in of this account.
   */
  'personal': (boolean);
}
