// Original file: proto/usage/v1/usage.proto

import type { BudgetInfoInput as _sluice_usage_v1_BudgetInfoInput, BudgetInfo as _sluice_usage_v1_BudgetInfo } from '../../../sluice/usage/v1/BudgetInfo.ts';
import type { FreshnessInput as _sluice_usage_v1_FreshnessInput, Freshness as _sluice_usage_v1_Freshness } from '../../../sluice/usage/v1/Freshness.ts';

export interface ListBudgetsReplyInput {
  'budgets'?: (_sluice_usage_v1_BudgetInfoInput)[];
  /**
   * The currency of all amounts, such as USD.
   */
  'currency'?: (string);
  /**
   * The month in UTC, such as 2027-01.
   */
  'month'?: (string);
  /**
   * How long ago budgets were decided for the last time, with all records. While this grows, the last decision holds.
   */
  'ageSeconds'?: (number | string);
  'freshness'?: (_sluice_usage_v1_FreshnessInput | null);
}

export interface ListBudgetsReply {
  'budgets': (_sluice_usage_v1_BudgetInfo)[];
  /**
   * The currency of all amounts, such as USD.
   */
  'currency': (string);
  /**
   * The month in UTC, such as 2027-01.
   */
  'month': (string);
  /**
   * How long ago budgets were decided for the last time, with all records. While this grows, the last decision holds.
   */
  'ageSeconds': (number);
  'freshness': (_sluice_usage_v1_Freshness | null);
}
