// Original file: proto/usage/v1/usage.proto

import type { UsageGroupInput as _sluice_usage_v1_UsageGroupInput, UsageGroup as _sluice_usage_v1_UsageGroup } from '../../../sluice/usage/v1/UsageGroup.ts';
import type { UsageSumsInput as _sluice_usage_v1_UsageSumsInput, UsageSums as _sluice_usage_v1_UsageSums } from '../../../sluice/usage/v1/UsageSums.ts';
import type { FreshnessInput as _sluice_usage_v1_FreshnessInput, Freshness as _sluice_usage_v1_Freshness } from '../../../sluice/usage/v1/Freshness.ts';
import type { Long } from '@grpc/proto-loader';

export interface SumUsageReplyInput {
  'groups'?: (_sluice_usage_v1_UsageGroupInput)[];
  'total'?: (_sluice_usage_v1_UsageSumsInput | null);
  /**
   * The times that the sums cover.
   */
  'sinceMs'?: (number | string | Long);
  'untilMs'?: (number | string | Long);
  /**
   * Groups that the limit left out.
   */
  'groupsLeftOut'?: (number | string | Long);
  'freshness'?: (_sluice_usage_v1_FreshnessInput | null);
  /**
   * The currency of the spend, such as USD.
   */
  'currency'?: (string);
}

export interface SumUsageReply {
  'groups': (_sluice_usage_v1_UsageGroup)[];
  'total': (_sluice_usage_v1_UsageSums | null);
  /**
   * The times that the sums cover.
   */
  'sinceMs': (number);
  'untilMs': (number);
  /**
   * Groups that the limit left out.
   */
  'groupsLeftOut': (number);
  'freshness': (_sluice_usage_v1_Freshness | null);
  /**
   * The currency of the spend, such as USD.
   */
  'currency': (string);
}
