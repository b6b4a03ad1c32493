// Original file: proto/catalog/v1/console.proto


export interface SignInRequestInput {
  /**
   * `iss` and `sub` of a verified id token.
   */
  'issuer'?: (string);
  'subject'?: (string);
  'email'?: (string);
  'emailVerified'?: (boolean);
  'name'?: (string);
}

export interface SignInRequest {
  /**
   * `iss` and `sub` of a verified id token.
   */
  'issuer': (string);
  'subject': (string);
  'email': (string);
  'emailVerified': (boolean);
  'name': (string);
}
