// Original file: proto/catalog/v1/console.proto


export interface CreateInvitationRequestInput {
  'organization'?: (string);
  'role'?: (string);
  /**
   * Whom it is for; only shown in lists. May be empty.
   */
  'email'?: (string);
}

export interface CreateInvitationRequest {
  'organization': (string);
  'role': (string);
  /**
   * Whom it is for; only shown in lists. May be empty.
   */
  'email': (string);
}
