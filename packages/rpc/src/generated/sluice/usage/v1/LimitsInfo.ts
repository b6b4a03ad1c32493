// Original file: proto/usage/v1/usage.proto

import type { LimitInfoInput as _sluice_usage_v1_LimitInfoInput, LimitInfo as _sluice_usage_v1_LimitInfo } from '../../../sluice/usage/v1/LimitInfo.ts';
import type { Long } from '@grpc/proto-loader';

export interface LimitsInfoInput {
  /**
   * The tokens that the request costs. It also costs one request.
   */
  'tokens'?: (number | string | Long);
  /**
   * The limits that are set.
   */
  'limits'?: (_sluice_usage_v1_LimitInfoInput)[];
  /**
   * The limit that refused the request; empty if none did.
   */
  'refusedBy'?: (string);
  'waitMs'?: (number | string | Long);
}

export interface LimitsInfo {
  /**
   * The tokens that the request costs. It also costs one request.
   */
  'tokens': (number);
  /**
   * The limits that are set.
   */
  'limits': (_sluice_usage_v1_LimitInfo)[];
  /**
   * The limit that refused the request; empty if none did.
   */
  'refusedBy': (string);
  'waitMs': (number);
}
