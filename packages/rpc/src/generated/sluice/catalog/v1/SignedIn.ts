// Original file: proto/catalog/v1/console.proto

import type { Long } from '@grpc/proto-loader';

export interface SignedInInput {
  'account'?: (string);
  /**
   * For the session cookie and the claim `gen` of later calls.
   */
  'generation'?: (number | string | Long);
}

export interface SignedIn {
  'account': (string);
  /**
   * For the session cookie and the claim `gen` of later calls.
   */
  'generation': (number);
}
