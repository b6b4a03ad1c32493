// Original file: proto/usage/v1/usage.proto

import type { LastUseInput as _sluice_usage_v1_LastUseInput, LastUse as _sluice_usage_v1_LastUse } from '../../../sluice/usage/v1/LastUse.ts';
import type { FreshnessInput as _sluice_usage_v1_FreshnessInput, Freshness as _sluice_usage_v1_Freshness } from '../../../sluice/usage/v1/Freshness.ts';

export interface LastUsesReplyInput {
  /**
   * Credentials that were used, in the order of the request.
   */
  'uses'?: (_sluice_usage_v1_LastUseInput)[];
  'freshness'?: (_sluice_usage_v1_FreshnessInput | null);
}

export interface LastUsesReply {
  /**
   * Credentials that were used, in the order of the request.
   */
  'uses': (_sluice_usage_v1_LastUse)[];
  'freshness': (_sluice_usage_v1_Freshness | null);
}
