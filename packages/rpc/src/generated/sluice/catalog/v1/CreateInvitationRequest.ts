// Original file: proto/catalog/v1/console.proto


export interface CreateInvitationRequestInput {
  'organization'?: (string);
  'role'?: (string);
  /**
   * The address of the invited person. It is only shown in lists, and may be empty.
   */
  'email'?: (string);
}

export interface CreateInvitationRequest {
  'organization': (string);
  'role': (string);
  /**
   * The address of the invited person. It is only shown in lists, and may be empty.
   */
  'email': (string);
}
