// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

export interface LastUseInput {
  'credential'?: (string);
  /**
   * The beginning of the day, once single requests are no longer kept.
   */
  'lastUsedAtMs'?: (number | string | Long);
}

export interface LastUse {
  'credential': (string);
  /**
   * The beginning of the day, once single requests are no longer kept.
   */
  'lastUsedAtMs': (number);
}
