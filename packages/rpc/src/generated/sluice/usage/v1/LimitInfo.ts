// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

export interface LimitInfoInput {
  /**
   * Such as requests_per_minute.
   */
  'name'?: (string);
  'limit'?: (number | string | Long);
  /**
   * What was left of it after the decision.
   */
  'remaining'?: (number | string | Long);
}

export interface LimitInfo {
  /**
   * Such as requests_per_minute.
   */
  'name': (string);
  'limit': (number);
  /**
   * What was left of it after the decision.
   */
  'remaining': (number);
}
