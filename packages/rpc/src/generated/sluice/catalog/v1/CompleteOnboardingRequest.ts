// Original file: proto/catalog/v1/console.proto


export interface CompleteOnboardingRequestInput {
  'acceptTerms'?: (boolean);
  /**
   * The organization that gets the name. Empty: the personal one.
   */
  'organization'?: (string);
  'organizationName'?: (string);
}

export interface CompleteOnboardingRequest {
  'acceptTerms': (boolean);
  /**
   * The organization that gets the name. Empty: the personal one.
   */
  'organization': (string);
  'organizationName': (string);
}
