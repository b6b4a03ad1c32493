// Original file: proto/usage/v1/usage.proto

import type { RequestInfoInput as _sluice_usage_v1_RequestInfoInput, RequestInfo as _sluice_usage_v1_RequestInfo } from '../../../sluice/usage/v1/RequestInfo.ts';
import type { FreshnessInput as _sluice_usage_v1_FreshnessInput, Freshness as _sluice_usage_v1_Freshness } from '../../../sluice/usage/v1/Freshness.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListRequestsReplyInput {
  'requests'?: (_sluice_usage_v1_RequestInfoInput)[];
  /**
   * Empty on the last page.
   */
  'nextPage'?: (string);
  /**
   * The number of the newest request that is known. Requests that become known later have a larger number.
   */
  'arrival'?: (number | string | Long);
  'freshness'?: (_sluice_usage_v1_FreshnessInput | null);
  /**
   * The currency of the spend, such as USD.
   */
  'currency'?: (string);
}

export interface ListRequestsReply {
  'requests': (_sluice_usage_v1_RequestInfo)[];
  /**
   * Empty on the last page.
   */
  'nextPage': (string);
  /**
   * The number of the newest request that is known. Requests that become known later have a larger number.
   */
  'arrival': (number);
  'freshness': (_sluice_usage_v1_Freshness | null);
  /**
   * The currency of the spend, such as USD.
   */
  'currency': (string);
}
