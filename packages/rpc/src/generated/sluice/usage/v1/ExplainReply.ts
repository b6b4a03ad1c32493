// Original file: proto/usage/v1/usage.proto

import type { RequestInfoInput as _sluice_usage_v1_RequestInfoInput, RequestInfo as _sluice_usage_v1_RequestInfo } from '../../../sluice/usage/v1/RequestInfo.ts';
import type { AttemptInfoInput as _sluice_usage_v1_AttemptInfoInput, AttemptInfo as _sluice_usage_v1_AttemptInfo } from '../../../sluice/usage/v1/AttemptInfo.ts';
import type { FreshnessInput as _sluice_usage_v1_FreshnessInput, Freshness as _sluice_usage_v1_Freshness } from '../../../sluice/usage/v1/Freshness.ts';
import type { LimitsInfoInput as _sluice_usage_v1_LimitsInfoInput, LimitsInfo as _sluice_usage_v1_LimitsInfo } from '../../../sluice/usage/v1/LimitsInfo.ts';
import type { OfferInfoInput as _sluice_usage_v1_OfferInfoInput, OfferInfo as _sluice_usage_v1_OfferInfo } from '../../../sluice/usage/v1/OfferInfo.ts';

export interface ExplainReplyInput {
  /**
   * Absent: only attempts are known. The request has not ended yet, or its gateway was killed.
   */
  'request'?: (_sluice_usage_v1_RequestInfoInput | null);
  /**
   * In the order in which workers accepted them.
   */
  'attempts'?: (_sluice_usage_v1_AttemptInfoInput)[];
  'freshness'?: (_sluice_usage_v1_FreshnessInput | null);
  /**
   * The decision of the limiter. Absent: it was not asked, did not answer, or its decision was not recorded.
   */
  'limits'?: (_sluice_usage_v1_LimitsInfoInput | null);
  /**
   * In order, at most 16. Empty if no worker was offered the request, or if this was not recorded.
   */
  'offers'?: (_sluice_usage_v1_OfferInfoInput)[];
  /**
   * How workers scheduled the organization.
   */
  'schedulingClass'?: (number);
  'weight'?: (number | string);
  /**
   * The currency of the spend, such as USD.
   */
  'currency'?: (string);
}

export interface ExplainReply {
  /**
   * Absent: only attempts are known. The request has not ended yet, or its gateway was killed.
   */
  'request': (_sluice_usage_v1_RequestInfo | null);
  /**
   * In the order in which workers accepted them.
   */
  'attempts': (_sluice_usage_v1_AttemptInfo)[];
  'freshness': (_sluice_usage_v1_Freshness | null);
  /**
   * The decision of the limiter. Absent: it was not asked, did not answer, or its decision was not recorded.
   */
  'limits': (_sluice_usage_v1_LimitsInfo | null);
  /**
   * In order, at most 16. Empty if no worker was offered the request, or if this was not recorded.
   */
  'offers': (_sluice_usage_v1_OfferInfo)[];
  /**
   * How workers scheduled the organization.
   */
  'schedulingClass': (number);
  'weight': (number);
  /**
   * The currency of the spend, such as USD.
   */
  'currency': (string);
}
