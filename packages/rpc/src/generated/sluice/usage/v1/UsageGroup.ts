// Original file: proto/usage/v1/usage.proto

import type { UsageSumsInput as _sluice_usage_v1_UsageSumsInput, UsageSums as _sluice_usage_v1_UsageSums } from '../../../sluice/usage/v1/UsageSums.ts';

export interface UsageGroupInput {
  /**
   * A name for each dimension. A month, a day or an hour is its first moment, as in 2027-01-31T14:00:00Z.
   */
  'names'?: (string)[];
  'sums'?: (_sluice_usage_v1_UsageSumsInput | null);
}

export interface UsageGroup {
  /**
   * A name for each dimension. A month, a day or an hour is its first moment, as in 2027-01-31T14:00:00Z.
   */
  'names': (string)[];
  'sums': (_sluice_usage_v1_UsageSums | null);
}
