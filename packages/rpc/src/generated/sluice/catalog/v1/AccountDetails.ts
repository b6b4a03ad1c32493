// Original file: proto/catalog/v1/console.proto

import type { Long } from '@grpc/proto-loader';

export interface AccountDetailsInput {
  'id'?: (string);
  'name'?: (string);
  'email'?: (string);
  'access'?: (string);
  'onboarding'?: (string);
  'restricted'?: (boolean);
  'operator'?: (boolean);
  /**
   * Whether a person has signed in to the account by OpenID Connect.
   */
  'linked'?: (boolean);
  'createdAtMs'?: (number | string | Long);
  'termsAcceptedAtMs'?: (number | string | Long);
  'generation'?: (number | string | Long);
  '_createdAtMs'?: "createdAtMs";
  '_termsAcceptedAtMs'?: "termsAcceptedAtMs";
}

export interface AccountDetails {
  'id': (string);
  'name': (string);
  'email': (string);
  'access': (string);
  'onboarding': (string);
  'restricted': (boolean);
  'operator': (boolean);
  /**
   * Whether a person has signed in to the account by OpenID Connect.
   */
  'linked': (boolean);
  'createdAtMs'?: (number);
  'termsAcceptedAtMs'?: (number);
  'generation': (number);
  '_createdAtMs'?: "createdAtMs";
  '_termsAcceptedAtMs'?: "termsAcceptedAtMs";
}
