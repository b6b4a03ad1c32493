// Original file: proto/usage/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

export interface LastUseInput {
  'credential'?: (string);
  /**
   * The beginning of the day of the last use, if single requests of that day are no longer kept.
   */
  'lastUsedAtMs'?: (number | string | Long);
}

export interface LastUse {
  'credential': (string);
  /**
   * The beginning of the day of the last use, if single requests of that day are no longer kept.
   */
  'lastUsedAtMs': (number);
}
