// Original file: proto/usage/v1/usage.proto

import type { BudgetWebhookInput as _sluice_usage_v1_BudgetWebhookInput, BudgetWebhook as _sluice_usage_v1_BudgetWebhook } from '../../../sluice/usage/v1/BudgetWebhook.ts';

/**
 * Amounts are decimal numbers.
 */
export interface BudgetInfoInput {
  'organization'?: (string);
  /**
   * Absent: there is no budget.
   */
  'monthly'?: (string);
  /**
   * What was spent this month.
   */
  'spent'?: (string);
  /**
   * Whether completions are refused when the budget is spent.
   */
  'hard'?: (boolean);
  /**
   * Percent of `monthly`.
   */
  'thresholds'?: (number)[];
  /**
   * The thresholds that were reached this month.
   */
  'reached'?: (number)[];
  /**
   * Completions are refused with 402.
   */
  'stopped'?: (boolean);
  'webhooks'?: (_sluice_usage_v1_BudgetWebhookInput)[];
  '_monthly'?: "monthly";
}

/**
 * Amounts are decimal numbers.
 */
export interface BudgetInfo {
  'organization': (string);
  /**
   * Absent: there is no budget.
   */
  'monthly'?: (string);
  /**
   * What was spent this month.
   */
  'spent': (string);
  /**
   * Whether completions are refused when the budget is spent.
   */
  'hard': (boolean);
  /**
   * Percent of `monthly`.
   */
  'thresholds': (number)[];
  /**
   * The thresholds that were reached this month.
   */
  'reached': (number)[];
  /**
   * Completions are refused with 402.
   */
  'stopped': (boolean);
  'webhooks': (_sluice_usage_v1_BudgetWebhook)[];
  '_monthly'?: "monthly";
}
